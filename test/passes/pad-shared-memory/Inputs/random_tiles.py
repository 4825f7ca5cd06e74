"""Random kernels that permute elements through a Workgroup array, padded and checked by dispatch.

usage: random_tiles.py LANEWISE FOLDER SEED COUNT

Each kernel fills an array of two or three dimensions along one order of its indices and reads it along another.
All indices are in range, so a padded array must give the same output; the program verifies each on a device.
Fails on the first kernel whose outputs are not equal, and when too few of them were padded to mean anything.
"""

import os
import random
import subprocess
import sys

SHAPES = [(32, 1), (32, 8), (16, 16), (8, 8), (64, 2), (128, 1)]
EXTENTS = [2, 4, 8, 16, 17, 32, 64]
# Element type, its bytes, how an element is made of index i, and how it becomes a uint again.
ELEMENTS = [
    ("uint", 4, "src[i]", "v"),
    ("int", 4, "int(src[i])", "uint(v)"),
    ("float", 4, "float(src[i] & 1023u)", "uint(v)"),
    ("vec2", 8, "vec2(src[i] & 255u, i)", "uint(v.x) * 3u + uint(v.y)"),
    ("vec3", 16, "vec3(i, src[i] & 7u, 2)", "uint(v.x) + uint(v.y) * 9u + uint(v.z)"),
    ("uvec4", 16, "uvec4(src[i], i, i * 3u, 7u)", "v.x ^ v.y * 5u ^ v.z ^ v.w"),
]
MOST_BYTES = 16384


def product(numbers):
    result = 1
    for number in numbers:
        result *= number
    return result


def indices(value, extents, order):
    """Index expressions that count through the array, the first dimension of `order` fastest."""
    parts = {}
    for dimension in order:
        parts[dimension] = f"({value}) % {extents[dimension]}u"
        value = f"({value}) / {extents[dimension]}u"
    return "".join(f"[{parts[d]}]" for d in range(len(extents)))


def kernel(rng):
    width, height = rng.choice(SHAPES)
    name, size, make, use = rng.choice(ELEMENTS)
    while True:
        extents = [rng.choice(EXTENTS) for _ in range(rng.choice([2, 2, 3]))]
        if width * height <= product(extents) <= MOST_BYTES // size // 2:
            break
    total, step = product(extents), width * height
    writing, reading = (rng.sample(range(len(extents)), len(extents)) for _ in range(2))
    loop = f"for (uint i = gl_LocalInvocationIndex; i < {total}u; i += {step}u)"
    return f"""#version 450
layout(local_size_x = {width}, local_size_y = {height}) in;
layout(binding = 0) readonly buffer Source {{ uint src[]; }};
layout(binding = 1) writeonly buffer Target {{ uint dst[]; }};
shared {name} tile{"".join(f"[{extent}]" for extent in extents)};
void main() {{
  {loop} tile{indices("i", extents, writing)} = {make};
  barrier();
  {loop} {{
    uint j = (i * {rng.choice([1, 3, 5, 7])}u) % {total}u;
    {name} v = tile{indices("j", extents, reading)};
    dst[i] = {use};
  }}
}}
"""


def main():
    lanewise, folder, seed, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    os.makedirs(folder, exist_ok=True)
    rng = random.Random(seed)
    padded = 0
    for number in range(count):
        path = os.path.join(folder, f"{number}.comp")
        with open(path, "w") as file:
            file.write(kernel(rng))
        mode = rng.choice(["pad", "auto"])
        command = [lanewise, "opt", path, "--inline-entry-points-exhaustive", "--ssa-rewrite", f"--pad-shared-memory={mode}",
                   "--target=nvidia", "--verify", "--no-timing", "-o", os.path.join(folder, f"{number}.spv")]
        run = subprocess.run(command, capture_output=True, text=True)
        padded += "remark: padded" in run.stderr
        if run.returncode != 0 or "outputs equal" not in run.stderr:
            print(f"{' '.join(command)}\nexit code {run.returncode}\n{run.stderr}")
            return 1
    print(f"{padded} of {count} kernels padded, all outputs equal")
    return 0 if padded >= count // 3 else 1


sys.exit(main())
