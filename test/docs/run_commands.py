"""Runs every command of one document, in a scratch copy of the sources, and checks its links.

Commands stand in ```sh blocks, one a line (a line that ends in a backslash goes on), or in ```console blocks
behind "$ ". A command must end with exit code 0, or with N where its line ends in "# exit N". A block with the
word `gpu` behind its language needs a GPU, one with `example` is no command to run; both are reported, not run.
What builds and installs is tested elsewhere, as told in TESTED_ELSEWHERE.

usage: run_commands.py DOCUMENT --bin=DIRECTORY
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import markdown

ROOT = pathlib.Path(__file__).resolve().parents[2]

# utils/check builds and runs these, and continuous integration starts from it; running them here would
# start this test again.
TESTED_ELSEWHERE = [
    r"(sudo )?utils/(setup|demo|check|format)\b.*",
    r"bash \.ci/run",
    r"\.ci/run",
    r"cmake --preset \w+.*",
    r"cmake --build --preset \w+.*",
    r"ctest --preset \w+.*",
    r"git clone .*",
    r"cd lanewise",
]


def commands_of(block):
    """(line number, command, expected exit code) for each command of a block."""
    if block.language not in ("sh", "bash", "console", "shell"):
        return
    pending, start = "", 0
    for number, line in enumerate(block.text.splitlines(), block.line):
        if not pending:
            if block.language == "console":
                if not line.startswith("$ "):
                    continue
                line = line[2:]
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            start = number
        pending += line
        if pending.endswith("\\"):
            pending = pending[:-1]
            continue
        expected = re.search(r"#\s*exit (\d+)\s*$", pending)
        yield start, pending.strip(), int(expected.group(1)) if expected else 0
        pending = ""


def make_scratch(directory, binaries):
    """A copy of the sources whose build/release/bin is the one under test."""
    ignored = shutil.ignore_patterns("build", ".git", "__pycache__", ".cache")
    shutil.copytree(ROOT, directory, ignore=ignored, symlinks=True, dirs_exist_ok=True)
    (directory / "build/release").mkdir(parents=True)
    (directory / "build/release/bin").symlink_to(binaries)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("document", type=pathlib.Path)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    document = arguments.document.resolve()
    name = document.relative_to(ROOT)
    counts = {"run": 0, "elsewhere": 0, "gpu": 0, "example": 0, "failed": 0}

    for line, target in markdown.broken_links(document):
        print(f"{name}:{line}: link to {target}, which is not there")
        counts["failed"] += 1

    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        make_scratch(scratch, arguments.bin.resolve())
        environment = {**os.environ, "PATH": f"{arguments.bin.resolve()}{os.pathsep}{os.environ['PATH']}", "LC_ALL": "C"}
        for block in markdown.blocks(document):
            for line, command, expected in commands_of(block):
                kind = next((k for k in ("gpu", "example") if k in block.attributes), None)
                if kind is None and any(re.fullmatch(p, command) for p in TESTED_ELSEWHERE):
                    kind = "elsewhere"
                if kind:
                    print(f"{name}:{line}: not run ({kind}): {command}")
                    counts[kind] += 1
                    continue
                done = subprocess.run(
                    ["bash", "-o", "pipefail", "-c", command], cwd=scratch, env=environment,
                    stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=240, check=False)
                verdict = "ok" if done.returncode == expected else f"exit code {done.returncode}, not {expected}"
                print(f"{name}:{line}: {verdict}: {command}")
                counts["run"] += 1
                if done.returncode != expected:
                    counts["failed"] += 1
                    print(done.stdout[-2000:] + done.stderr[-4000:])

    print(", ".join(f"{number} {kind}" for kind, number in counts.items()))
    sys.exit(1 if counts["failed"] else 0)


if __name__ == "__main__":
    main()
