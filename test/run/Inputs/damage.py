"""Spoils each entry of a cache in one of several ways."""

import pathlib
import sys

entries = sorted(path for path in pathlib.Path(sys.argv[1]).rglob("*") if path.is_file())
assert len(entries) > 20
for number, path in enumerate(entries):
    data = bytearray(path.read_bytes())
    way = number % 5
    if way == 0:
        data = data[:len(data) // 2]
    elif way == 1:
        data = bytearray()
    elif way == 2:
        data[-5] ^= 1
    elif way == 3:
        data = bytearray(entries[number - 3].read_bytes())
    else:
        data += b"more"
    path.write_bytes(data)
