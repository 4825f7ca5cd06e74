"""What scripts share that have random kernels looked at by a rule of lint and run by the interpreter."""

import json
import pathlib
import subprocess
import sys


def compile_all(lanewise, folder, texts):
    """The modules, with lines, of GLSL texts; `folder` gets these."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(texts):
        (folder / f"kernel{number}.comp").write_text(text, encoding="utf-8")
    # All in one process: glslang reads its built-in functions for longer than it compiles such a kernel.
    modules = folder.with_suffix(".modules")
    subprocess.run([lanewise, "batch", folder, "-g", "-o", modules], stdout=subprocess.DEVNULL, check=True)
    return [modules / f"kernel{number}.comp.spv" for number in range(len(texts))]


def linted(lanewise, path, rule):
    done = subprocess.run([lanewise, "lint", path, f"--rule={rule}", "--format=json"], capture_output=True, text=True,
                          check=False)
    if done.returncode not in (0, 2):
        sys.exit(f"{path}: lint ends with {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)["findings"]


def interpreted(lanewise, path):
    report = path.with_suffix(".json")
    subprocess.run([lanewise, "verify", path, path, "--device=interpreter", "--no-timing", f"--json={report}"],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return json.loads(report.read_text(encoding="utf-8"))["original"].get("findings", [])
