"""Kills `lanewise batch` (SIGKILL) at random moments and starts it again, with outputs and cache kept, and with
either lost in between. After each death every output that is there must have the bytes of an undisturbed run, and no
worker may live on.

usage: kill.py LANEWISE FOLDER      (FOLDER/in holds shaders)
"""

import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time

KILLS = 12
lanewise, folder = sys.argv[1], pathlib.Path(sys.argv[2])
os.chdir(folder)


def command(out):
    return [lanewise, "batch", "in", "-O", "-o", out, "-j3", "-MD", "--cache=cache", "--json=summary.json"]


def contents(out):
    return {str(p.relative_to(out)): p.read_bytes().replace(out.encode(), b"OUT")
            for p in pathlib.Path(out).rglob("*") if p.is_file() and not p.name.startswith(".")}


def workers():
    """Processes that still have our binary's command line."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").resolve() == folder.resolve() and b"batch\0in" in (process / "cmdline").read_bytes():
                found.append(process.name)
        except OSError:
            pass
    return found


start = time.monotonic()
subprocess.run(command("whole"), check=True)
duration = time.monotonic() - start
expected = contents("whole")
assert len(expected) == 96, sorted(expected)
shutil.rmtree("cache")

random.seed(1)
killed = 0
for attempt in range(KILLS):
    process = subprocess.Popen(command("out"), start_new_session=True)
    time.sleep(random.uniform(0, duration * 0.6))
    # Only the first process is killed: the workers must die by themselves.
    if process.poll() is None:
        killed += 1
    else:
        duration *= 0.5  # the machine was busier when that was measured
    process.kill()
    process.wait()
    deadline = time.monotonic() + 5
    while workers() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not workers(), workers()
    for name, data in contents("out").items():
        assert data == expected[name], f"{name} is half-written"
    if attempt % 4 == 3:
        shutil.rmtree("cache", ignore_errors=True)
    if attempt % 4 == 1:
        shutil.rmtree("out", ignore_errors=True)
assert killed > KILLS / 3, f"only {killed} of {KILLS} runs were killed before their end"

subprocess.run(command("out"), check=True)
assert contents("out") == expected
# Of .lanewise.MACHINE.PROCESS.N.tmp one may stay, for a day, whose process id another process has got since.
left = [p for p in pathlib.Path("out").rglob(".*") if not os.path.exists(f"/proc/{p.name.split('.')[3]}")]
assert not left, f"left behind: {left}"
summary = pathlib.Path("summary.json").read_text()
assert '"failed": 0' in summary
