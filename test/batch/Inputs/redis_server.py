"""Runs `lanewise batch` with a Redis server of its own as its cache.

usage: redis_server.py LANEWISE FOLDER      (FOLDER/in holds shaders)
"""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

lanewise, folder = sys.argv[1], pathlib.Path(sys.argv[2])
os.chdir(folder)
# A socket's path has 107 bytes at most.
scratch = tempfile.mkdtemp(prefix="lanewise-redis-")
SOCKET = scratch + "/s"
# One program under two names, of which it looks at the one that it is called by. Debian's redis-tools has the second;
# the package with the first brings a service.
PROGRAM = shutil.which("redis-server") or shutil.which("redis-check-rdb")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@contextlib.contextmanager
def server(*options, port=0):
    process = subprocess.Popen(["redis-server", "--port", str(port), "--unixsocket", SOCKET, "--save", "", "--dir", scratch,
                                "--bind", "127.0.0.1", *options], executable=PROGRAM, stdout=subprocess.DEVNULL)
    try:
        for _ in range(500):
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as s:
                s.connect(SOCKET)
                break
            time.sleep(0.01)
        yield process
    finally:
        process.send_signal(signal.SIGCONT)
        process.kill()
        process.wait()
        with contextlib.suppress(OSError):
            os.unlink(SOCKET)


def ask(*words, password=None):
    """One command, in Redis' protocol; the whole reply as bytes."""
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(SOCKET)
        for command in ([["AUTH", password]] if password else []) + [list(words)]:
            s.sendall(f"*{len(command)}\r\n".encode() + b"".join(
                f"${len(w.encode())}\r\n{w}\r\n".encode() for w in command))
        s.shutdown(socket.SHUT_WR)
        reply = b""
        while part := s.recv(65536):
            reply += part
        return reply


def keys(password=None):
    return [line.decode() for line in ask("KEYS", "*", password=password).split(b"\r\n")
            if line.startswith(b"lanewise:")]


def batch(cache, out, hits=None, warning=None):
    shutil.rmtree(out, ignore_errors=True)
    run = subprocess.run([lanewise, "batch", "in", "-q", "-O", "-o", out, "-j2", f"--cache={cache}", "--json=summary.json"],
                         capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    if warning is None:
        assert run.stderr == "", run.stderr
    else:
        assert len(run.stderr.splitlines()) == 1 and warning in run.stderr, run.stderr
    found = json.load(open("summary.json"))["counts"]["cache-hits"]
    assert hits is None or found == hits, f"{found} hits, not {hits}"
    if os.path.exists("good"):
        subprocess.run(["diff", "-r", "good", out], check=True)


try:
    unix = f"unix://{SOCKET}"
    batch("folder-cache", "good", hits=0)

    port = free_port()
    with server(port=port) as process:
        batch(unix, "x", hits=0)
        batch(unix, "x", hits=8)
        batch(f"redis://127.0.0.1:{port}", "x", hits=8)
        batch(f"redis://127.0.0.1:{port}/3", "x", hits=0)  # another database
        batch(unix + "?db=3", "x", hits=8)
        # Values that are none of ours, and one of another type.
        names = keys()
        assert len(names) == 12, names  # sources that include have two
        for name in names[::2]:
            ask("SET", name, "nonsense")
        for name in names[1::2]:
            ask("DEL", name)
            ask("LPUSH", name, "x")
        batch(unix, "x", hits=0)
        batch(unix, "x", hits=8)
        # A server that does not answer.
        process.send_signal(signal.SIGSTOP)
        start = time.monotonic()
        batch(unix, "x", hits=0, warning="does not answer")
        assert time.monotonic() - start < 60
    batch(unix, "x", hits=0, warning="cannot be used")  # nobody there
    batch(f"redis://127.0.0.1:{port}", "x", hits=0, warning="cannot be used")

    with server("--requirepass", "se@cret"):
        batch(unix, "x", hits=0, warning="cannot be used: NOAUTH")
        batch(f"unix://:wrong@{SOCKET}", "x", hits=0, warning="cannot be used: WRONGPASS")
        batch(f"unix://:se%40cret@{SOCKET}", "x", hits=0)
        batch(f"unix://default:se%40cret@{SOCKET}", "x", hits=8)

    # A server that is full and may not evict.
    with server("--maxmemory", "1", "--maxmemory-policy", "noeviction"):
        batch(unix, "x", hits=0, warning="refuses to store")

    # Killed in the middle of a run.
    with server() as process:
        shutil.rmtree("x", ignore_errors=True)
        run = subprocess.Popen([lanewise, "batch", "in", "-q", "-O", "-o", "x", "-j1", f"--cache={unix}"],
                               stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 60
        while not keys() and time.monotonic() < deadline:
            time.sleep(0.001)
        process.kill()
        process.wait()
        stderr = run.communicate(timeout=120)[1]
        assert run.returncode == 0, stderr
        assert len(stderr.splitlines()) <= 1, stderr
        subprocess.run(["diff", "-r", "good", "x"], check=True)
finally:
    shutil.rmtree(scratch)
