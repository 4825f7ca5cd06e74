"""Does what docs/add-a-pass.md tells a reader to do, in another directory.

Blocks with file=PATH become that file, blocks with append=PATH go to the end of that file.

usage: apply_guide.py DOCUMENT INTO [--without=PLACE]
       INTO holds (or will get) copies of the files that the guide appends to; PLACE is a path prefix to forget
"""

import argparse
import pathlib
import shutil

import markdown

ROOT = pathlib.Path(__file__).resolve().parents[2]


def apply_guide(document, into, without=None):
    """Carries out the guide; the paths that it touched."""
    touched = []
    for block in markdown.blocks(document):
        place = block.attributes.get("file") or block.attributes.get("append")
        if not place:
            continue
        if without and place.startswith(without):
            continue
        target = into / place
        target.parent.mkdir(parents=True, exist_ok=True)
        if "append" in block.attributes and not target.exists():
            shutil.copyfile(ROOT / place, target)
        with open(target, "a" if "append" in block.attributes else "w", encoding="utf-8") as file:
            file.write(block.text)
        touched.append(place)
    return touched


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("document", type=pathlib.Path)
    parser.add_argument("into", type=pathlib.Path)
    parser.add_argument("--without")
    arguments = parser.parse_args()
    for place in apply_guide(arguments.document, arguments.into, arguments.without):
        print(place)


if __name__ == "__main__":
    main()
