#!/usr/bin/env python3
"""Holds the rooms of passes/ and driver/ to what their README.md says, and the repository to the folders it has.

Every folder with sources is a room. Its README.md says in words what lives there, and ends in

    May include: `passes/ir`, `driver/support`.

This script refuses includes that the room does not allow itself, allowances that nobody uses, rooms that allow one
another in a circle, and rooms of more than fourteen translation units. Headers of others may be included anywhere,
but Vulkan's only under the folders of WITH_VULKAN. Where git is there, it also refuses what git keeps beside TOP: a
cache or an output that was added by mistake.

usage: check_rooms.py [--write] [ROOT]   (default: this repository)

--write makes the last lines what is included now; the diff then shows which arrows are new.
"""

import collections
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

TOP = frozenset("""
    .ci .clang-format .gitignore CHANGELOG.md CMakeLists.txt CMakePresets.json LICENSE README.md
    docs driver passes samples test utils""".split())
ROOTS = ("driver", "passes")
INCLUDE_DIRS = ("driver", "passes", "passes/include")  # beside the file's own folder
MOST_UNITS = 14
WITH_VULKAN = ("driver/verify", "driver/layer")


def sources(root):
    """The sources of each room, by the room's name."""
    rooms = collections.defaultdict(list)
    for top in ROOTS:
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".cpp", ".h", ".def"):
                rooms[path.parent.relative_to(root).as_posix()].append(path)
    return rooms


def includes(path):
    """(line number, what stands between the quotes or brackets) of each include."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if match := re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line):
            yield number, match.group(1)


def room_of_include(root, path, name):
    """The room that an include leads to, None where it is none of ours."""
    for folder in (*(root / d for d in INCLUDE_DIRS), path.parent):
        if (folder / name).is_file():
            return (folder / name).resolve().parent.relative_to(root).as_posix()
    return None


def allowed(readme):
    """The rooms that a README.md allows; None where it does not say."""
    match = re.search(r"^May include: (.*?)\.\s*\Z", readme.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return set(re.findall(r"`([^`]+)`", match.group(1))) if match else None


def write(root):
    """Makes the last line of each README.md what its room includes."""
    for room, files in sources(root).items():
        below = {room_of_include(root, path, name) for path in files for _, name in includes(path)} - {None, room}
        line = "May include: " + (", ".join(f"`{r}`" for r in sorted(below)) or "nothing of ours") + "."
        readme = root / room / "README.md"
        text = readme.read_text(encoding="utf-8") if readme.is_file() else f"# {room}/\n\n"
        text = text.partition("May include:")[0].rstrip() + "\n\n" + textwrap.fill(line, 120, break_on_hyphens=False) + "\n"
        readme.write_text(text, encoding="utf-8")


def circle(edges):
    """Rooms that allow one another in turn, the first again at the end; empty where there are none."""
    state = {}
    path = []

    def visit(room):
        state[room] = "open"
        path.append(room)
        for below in sorted(edges.get(room, ())):
            if state.get(below) == "open":
                return path[path.index(below):] + [below]
            if below not in state and (found := visit(below)):
                return found
        state[room] = "done"
        path.pop()
        return []

    for room in sorted(edges):
        if room not in state and (found := visit(room)):
            return found
    return []


def kept_by_git(root):
    """Names of the root that git keeps; none where there is no git or no repository."""
    if not (root / ".git").exists() or not shutil.which("git"):
        return set()
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, text=True, check=False)
    # git refuses a repository of another user; then nothing is listed.
    return {name.split("/")[0] for name in listed.stdout.split("\0") if name}


def complaints(root):
    """One line for each thing wrong."""
    for stray in sorted(kept_by_git(root) - TOP):
        yield f"{stray}: nothing that the repository keeps; take it away, or add it to TOP in utils/check_rooms.py"
    rooms = sources(root)
    edges = {}
    for room, files in rooms.items():
        readme = root / room / "README.md"
        edges[room] = allowed(readme) if readme.is_file() else None
        if edges[room] is None:
            yield f"{room}/README.md: missing, or without its last line 'May include: ...'"
            edges[room] = set()
            continue
        used = set()
        for path in files:
            for number, name in includes(path):
                place = f"{path.relative_to(root).as_posix()}:{number}"
                if name.startswith("vulkan/") and not room.startswith(WITH_VULKAN):
                    yield f"{place}: includes <{name}>; only {' and '.join(WITH_VULKAN)} may"
                below = room_of_include(root, path, name)
                if below is None or below == room:
                    continue
                used.add(below)
                if below not in edges[room]:
                    yield f"{place}: includes \"{name}\" of {below}, which {room}/README.md does not allow"
        for unused in sorted(edges[room] - used):
            yield f"{room}/README.md: allows {unused}, which nothing here includes"
        units = sum(path.suffix == ".cpp" for path in files)
        if units > MOST_UNITS:
            yield f"{room}: {units} translation units; a room has {MOST_UNITS} at most, so give it rooms of its own"
    if found := circle(edges):
        yield "rooms allow one another in a circle: " + " -> ".join(found)


def main(arguments):
    writes = "--write" in arguments
    places = [a for a in arguments if a != "--write"]
    root = (pathlib.Path(places[0]) if places else pathlib.Path(__file__).resolve().parent.parent).resolve()
    if writes:
        write(root)
    found = list(complaints(root))
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
