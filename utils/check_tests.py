#!/usr/bin/env python3
"""Rejects lit tests that check nothing.

A FileCheck directive without its colon is a comment: the line `; CHECK OpNop` passes whatever the output is.
So is a directive with a prefix that no RUN line names, and a FileCheck whose prefix no line has (FileCheck
itself reports that one). A test file without a RUN line never runs.

usage: check_tests.py [DIRECTORY]   (default: test/ of this repository)
"""

import pathlib
import re
import sys

SUFFIXES = {".spvasm", ".comp", ".glsl", ".hlsl", ".test"}
KINDS = "NEXT|SAME|NOT|DAG|LABEL|EMPTY|COUNT-[0-9]+"
COMMENT = r"^\s*(?:;+|//+|#+)\s*"


def prefixes_of(text):
    """The check prefixes that the RUN lines of a test name."""
    found = set()
    runs = re.sub(r"\\\n.*?RUN:", " ", "\n".join(line for line in text.splitlines() if "RUN:" in line))
    for call in re.findall(r"FileCheck(?=\s)([^|&;\n]*)", runs):
        names = re.findall(r"--?check-prefix(?:es)?[= ]([\w,-]+)", call)
        found.update(name for some in names for name in some.split(","))
        if not names:
            found.add("CHECK")
    return found


def complaints(path):
    """(line number, sentence) for each thing wrong in one test file."""
    text = path.read_text(encoding="utf-8", errors="replace")
    lines = text.splitlines()
    if not re.search(r"RUN:", text):
        yield 1, "no RUN line, so it never runs (helper files belong in a directory Inputs)"
        return
    prefixes = prefixes_of(text)
    if not prefixes:
        return
    any_prefix = "|".join(sorted(map(re.escape, prefixes), key=len, reverse=True))
    for number, line in enumerate(lines, 1):
        if "RUN:" in line:
            continue
        if re.search(COMMENT + rf"(?:{any_prefix})(?:-(?:{KINDS}))?(?:\{{\w+\}})?\s*:", line):
            continue
        if match := re.search(COMMENT + rf"({any_prefix})(-(?:{KINDS}))?\b(?!-)", line):
            if match.group(1) != "CHECK" and not match.group(2) and re.match(r"[^;/#]*[a-z]+\.$", line[match.end():]):
                continue  # a sentence that begins with the word: "JSON has it on one line."
            yield number, "a check directive without its colon checks nothing"
        elif match := re.search(COMMENT + rf"({any_prefix})-?([A-Z-]+):", line):
            yield number, f"'{match.group(1)}-{match.group(2)}' is no check directive"
        elif match := re.search(COMMENT + r"([A-Z][A-Z0-9_-]*CHECK[A-Z0-9_-]*|CHECK[A-Z0-9_-]*)\s*:", line):
            yield number, f"no RUN line has a FileCheck with the prefix of '{match.group(1)}'"


def main(arguments):
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).resolve().parent.parent / "test"
    bad = 0
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        if path.suffix not in SUFFIXES or not path.is_file() or "Inputs" in parts or parts[0] == "unit":
            continue
        for number, sentence in complaints(path):
            print(f"{path}:{number}: {sentence}", file=sys.stderr)
            bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
