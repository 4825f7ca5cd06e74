"""Random kernels that permute elements through a Workgroup array, padded and checked by dispatch.

usage: random_tiles.py LANEWISE FOLDER SEED COUNT

Each kernel fills an array of one to three dimensions along one order of its indices and reads it along another. The
array stands alone, inside a struct, or inside each struct of an array; flat ones compute their index from those of
the dimensions. Structs have another member, which is used as well.
All indices are in range, so a padded array must give the same output; the program verifies each on a device.
Fails on the first kernel whose outputs are not equal, and when too few of them were changed to mean anything.
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
    return [parts[d] for d in range(len(extents))]


def flat_index(parts, extents):
    index = parts[0]
    for part, extent in zip(parts[1:], extents[1:]):
        index = f"({index}) * {extent}u + {part}"
    return f"[{index}]"


# How the array is declared, how an element is named from its index expressions, and what else is there: a
# member that invocation i writes, if it is one of as many as there are.
def alone(name, extents):
    declaration = f"shared {name} tile{''.join(f'[{e}]' for e in extents)};"
    return declaration, lambda parts: "tile" + "".join(f"[{p}]" for p in parts), None


def flat(name, extents):
    declaration = f"shared {name} tile[{product(extents)}];"
    return declaration, lambda parts: "tile" + flat_index(parts, extents), None


def in_struct(name, extents):
    declaration = f"struct S {{ uint before; {name} part{''.join(f'[{e}]' for e in extents)}; }}; shared S tile;"
    return declaration, lambda parts: "tile.part" + "".join(f"[{p}]" for p in parts), ("tile.before", 1)


def flat_in_struct(name, extents):
    declaration = f"struct S {{ {name} part[{product(extents)}]; uint behind[3]; }}; shared S tile;"
    return declaration, lambda parts: "tile.part" + flat_index(parts, extents), ("tile.behind[i]", 3)


def in_structs(name, extents):
    inner = "".join(f"[{e}]" for e in extents[1:])
    declaration = f"struct S {{ {name} part{inner}; uint behind; }}; shared S tile[{extents[0]}];"
    element = lambda parts: f"tile[{parts[0]}].part" + "".join(f"[{p}]" for p in parts[1:])
    return declaration, element, ("tile[i].behind", extents[0])


def kernel(rng):
    width, height = rng.choice(SHAPES)
    name, size, make, use = rng.choice(ELEMENTS)
    while True:
        extents = [rng.choice(EXTENTS) for _ in range(rng.choice([2, 2, 3]))]
        if width * height <= product(extents) <= MOST_BYTES // size // 2:
            break
    total, step = product(extents), width * height
    writing, reading = (rng.sample(range(len(extents)), len(extents)) for _ in range(2))
    declaration, element, other = rng.choice([alone, flat, in_struct, flat_in_struct, in_structs])(name, extents)
    fill, rest = "", ""
    if other:
        member, count = other
        fill = f"  {{ uint i = gl_LocalInvocationIndex; if (i < {min(count, step)}u) {member} = i * 7u; }}\n"
        rest = f" + {member.replace('[i]', f'[j % {min(count, step)}u]')}"
    loop = f"for (uint i = gl_LocalInvocationIndex; i < {total}u; i += {step}u)"
    return f"""#version 430
layout(local_size_x = {width}, local_size_y = {height}) in;
layout(binding = 0) readonly buffer Source {{ uint src[]; }};
layout(binding = 1) writeonly buffer Target {{ uint dst[]; }};
{declaration}
void main() {{
  {loop} {element(indices("i", extents, writing))} = {make};
{fill}  barrier();
  {loop} {{
    uint j = (i * {rng.choice([1, 3, 5, 7])}u) % {total}u;
    {name} v = {element(indices("j", extents, reading))};
    dst[i] = ({use}){rest};
  }}
}}
"""


def main():
    lanewise, folder, seed, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    os.makedirs(folder, exist_ok=True)
    rng = random.Random(seed)
    padded, modes = 0, []
    for number in range(count):
        with open(os.path.join(folder, f"{number}.comp"), "w") as file:
            file.write(kernel(rng))
        modes.append(rng.choice(["pad", "swizzle", "auto", "auto"]))
    # All in one process: glslang reads its built-in functions for longer than it compiles such a kernel.
    modules = folder + ".modules"
    subprocess.run([lanewise, "batch", folder, "-g", "-o", modules], stdout=subprocess.DEVNULL, check=True)
    for number, mode in enumerate(modes):
        path = os.path.join(modules, f"{number}.comp.spv")
        command = [lanewise, "opt", path, "--inline-entry-points-exhaustive", "--ssa-rewrite", f"--pad-shared-memory={mode}",
                   "--target=nvidia", "--verify", "--no-timing", "-o", os.path.join(folder, f"{number}.spv")]
        run = subprocess.run(command, capture_output=True, text=True)
        padded += any(f"remark: {done}" in run.stderr for done in ("padded", "flattened", "swizzled"))
        if run.returncode != 0 or "outputs equal" not in run.stderr:
            print(f"{' '.join(command)}\nexit code {run.returncode}\n{run.stderr}")
            return 1
    print(f"{padded} of {count} kernels changed, all outputs equal")
    return 0 if padded >= count // 3 else 1


sys.exit(main())
