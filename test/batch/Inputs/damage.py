"""Damages every entry of a cache folder, each in another way, or swaps entries of equal kind.

usage: damage.py FOLDER [--swap]
"""

import pathlib
import sys

entries = sorted(p for p in pathlib.Path(sys.argv[1]).rglob("*") if p.is_file())
if "--swap" in sys.argv:
    contents = [p.read_bytes() for p in entries]
    for path, other in zip(entries, contents[1:] + contents[:1]):
        path.write_bytes(other)
    sys.exit()
for number, path in enumerate(entries):
    data = bytearray(path.read_bytes())
    kind = number % 5
    if kind == 0:
        data = data[: len(data) // 2]
    elif kind == 1:
        data = bytearray()
    elif kind == 2:
        data[len(data) - 1 - number % 20] ^= 1 << number % 8
    elif kind == 3:
        data += b"more"
    else:
        data[number % 100] ^= 1
    path.write_bytes(data)
