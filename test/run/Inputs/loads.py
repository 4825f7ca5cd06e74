"""How many loads each optimized module in a cache has, in ascending order."""

import pathlib
import struct
import sys

LOAD = 61


def field(data):
    size, = struct.unpack_from("<Q", data)
    return data[8:8 + size], data[8 + size:]


counts = []
for path in pathlib.Path(sys.argv[1]).rglob("*"):
    if path.is_file():
        _, rest = field(path.read_bytes())
        module, rest = field(rest[8:])  # behind the sum
        words = struct.unpack(f"<{len(module) // 4}I", module)
        at, loads = 5, 0
        while at < len(words):
            loads += words[at] & 0xFFFF == LOAD
            at += words[at] >> 16
        counts.append(loads)
print(*sorted(counts))
