"""Runs every command of one document, in a scratch copy of the sources, and checks its links.

Commands stand in ```sh blocks, one a line (a line that ends in a backslash goes on), or in ```console blocks
behind "$ "; the other lines of a console block must appear in the command's output, in that order ("..." in a
line stands for anything, a line of "..." is passed over). A command must end with exit code 0, or with N where its line ends in "# exit N". A block with the
word `gpu` behind its language needs a GPU, one with `example` is no command to run; both are reported, not run.
A block with file=PATH becomes that file of the scratch copy when its turn comes.
What builds and sets up is tested elsewhere, as told in TESTED_ELSEWHERE.

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
    """(line number, command, expected exit code, expected lines of output) for each command of a block."""
    if block.language not in ("sh", "bash", "console", "shell"):
        return
    is_console = block.language == "console"
    found = []
    pending, start = "", 0
    for number, line in enumerate(block.text.splitlines(), block.line):
        if not pending:
            if is_console and not line.startswith("$ "):
                if found and line.strip(" .") != "":
                    found[-1][3].append(line)
                continue
            line = line[2:] if is_console else line
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            start = number
        pending += line
        if pending.endswith("\\"):
            pending = pending[:-1]
            continue
        expected = re.search(r"#\s*exit (\d+)\s*$", pending)
        found.append((start, pending.strip(), int(expected.group(1)) if expected else 0, []))
        pending = ""
    yield from found


def missing_line(expected, output):
    """The first expected line that is not in the output behind those before it, or None."""
    lines = iter(" ".join(line.split()) for line in output.splitlines())
    for line in expected:
        pattern = ".*".join(re.escape(part) for part in " ".join(line.split()).split("..."))
        if not any(re.fullmatch(pattern, actual) for actual in lines):
            return line
    return None


def make_scratch(directory, binaries, blocks):
    """A copy of the sources whose build/release/bin is the one under test, and can be installed.

    Most files are C++ and its tests, and most time would go into copying them: where no block names a file of
    such a folder, it is a link."""
    linked = [name for name in ("driver", "passes", "test")
              if not any(name + "/" in text for block in blocks for text in (block.text, *block.attributes.values()))]
    ignored = shutil.ignore_patterns("build", ".git", "__pycache__", ".cache")
    def left_out(folder, names):
        return ignored(folder, names) | (set(linked) if pathlib.Path(folder) == ROOT else set())
    shutil.copytree(ROOT, directory, ignore=left_out, symlinks=True, dirs_exist_ok=True)
    for name in linked:
        (directory / name).symlink_to(ROOT / name)
    (directory / "build/release").mkdir(parents=True)
    (directory / "build/release/bin").symlink_to(binaries)
    # `cmake --install` needs no more than this, which names all else by its full path.
    (directory / "build/release/cmake_install.cmake").symlink_to(binaries.parent / "cmake_install.cmake")


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
        is_made = False  # not for pages that run nothing
        environment = {**os.environ, "PATH": f"{arguments.bin.resolve()}{os.pathsep}{os.environ['PATH']}", "LC_ALL": "C"}
        blocks = markdown.blocks(document)
        for block in blocks:
            if not is_made and ("file" in block.attributes or any(commands_of(block))):
                make_scratch(scratch, arguments.bin.resolve(), blocks)
                is_made = True
            if "file" in block.attributes:
                file = scratch / block.attributes["file"]
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(block.text, encoding="utf-8")
            for line, command, expected, output in commands_of(block):
                kind = next((k for k in ("gpu", "example") if k in block.attributes), None)
                if kind is None and any(re.fullmatch(p, command) for p in TESTED_ELSEWHERE):
                    kind = "elsewhere"
                if kind:
                    print(f"{name}:{line}: not run ({kind}): {command}")
                    counts[kind] += 1
                    continue
                done = subprocess.run(
                    ["bash", "-o", "pipefail", "-c", command], cwd=scratch, env=environment,
                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                    timeout=240, check=False)
                verdict, missing = "ok", missing_line(output, done.stdout)
                if done.returncode != expected:
                    verdict = f"exit code {done.returncode}, not {expected}"
                elif missing is not None:
                    verdict = f"its output has no line '{missing.strip()}' where it should"
                print(f"{name}:{line}: {verdict}: {command}")
                counts["run"] += 1
                if verdict != "ok":
                    counts["failed"] += 1
                    print(done.stdout[-6000:])

    print(", ".join(f"{number} {kind}" for kind, number in counts.items()))
    sys.exit(1 if counts["failed"] else 0)


if __name__ == "__main__":
    main()
