"""Fenced code blocks of Markdown files: what the tests of the documents have in common."""

import dataclasses
import pathlib
import re


@dataclasses.dataclass
class Block:
    path: pathlib.Path
    line: int  # of the first line inside the fence, from 1
    language: str  # first word behind the fence
    attributes: dict  # the words behind it: "file=a.cpp" -> {"file": "a.cpp"}, "gpu" -> {"gpu": ""}
    text: str


def blocks(path):
    """All fenced blocks of a file, in order."""
    found, current, start = [], None, 0
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        fence = re.match(r"\s*```+\s*(.*)$", line)
        if fence and current is None:
            current, start, info = [], number + 1, fence.group(1).split()
        elif fence:
            attributes = dict(word.partition("=")[::2] for word in info[1:])
            found.append(Block(path, start, info[0] if info else "", attributes, "".join(current)))
            current = None
        elif current is not None:
            current.append(line + "\n")
    if current is not None:
        raise ValueError(f"{path}:{start}: code block without an end")
    return found


def prose(path):
    """(line, text) of what is outside fenced blocks."""
    inside = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if re.match(r"\s*```", line):
            inside = not inside
        elif not inside:
            yield number, line


def anchors(path):
    """What links to headings of the file have behind their #, as the usual viewers make it of them."""
    for _, line in prose(path):
        heading = re.match(r"#+\s+(.*?)\s*#*$", line)
        if heading:
            yield re.sub(r"[^\w\- ]", "", heading.group(1).lower()).replace(" ", "-")
        yield from re.findall(r'<a (?:id|name)="([^"]+)"', line)


def broken_links(path):
    """(line, target) of links to files, or to headings of them, that are not there."""
    for number, line in prose(path):
        for target in re.findall(r"\]\(([^)\s]+)\)", line):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            file = path.parent / name if name else path
            if not file.exists() or (anchor and file.suffix == ".md" and anchor not in anchors(file)):
                yield number, target
