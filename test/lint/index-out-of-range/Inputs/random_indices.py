"""Random kernels with indices that lint proves to be out of range: the interpreter must find each at its line.

usage: random_indices.py LANEWISE FOLDER SEED COUNT

Indices are sums and products of ids, counters and constants, in loops and branches; nothing depends on data, so that
every run shows what there is. Fails on a line that the interpreter does not find, and when lint found fewer than
half of them.
"""

import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
from random_kernels import compile_all, interpreted, linted  # pylint: disable=wrong-import-position


class Kernel:
    def __init__(self, rng):
        self.rng = rng
        self.size = rng.choice([(16, 1, 1), (8, 4, 1), (4, 4, 2)])
        self.length = self.size[0] * self.size[1] * self.size[2]
        self.counters, self.lines, self.depth = [], [], 1
        self.body(rng.randrange(3, 6))

    def emit(self, line):
        self.lines.append("  " * self.depth + line)

    def term(self):
        return self.rng.choice(["t", "t", "t", "l.x", "l.y", "int(gl_WorkGroupID.x)"] + self.counters * 3)

    def index(self):
        r, n = self.rng, self.length
        shape = r.randrange(9)
        if shape < 3:
            return f"{self.term()} + {r.randrange(-2, 3)}"
        if shape < 4:
            return f"{self.term()} * {r.randrange(1, 4)} - {r.randrange(3)}"
        if shape < 5:
            return f"({self.term()} + {r.randrange(n)}) % {n + r.randrange(-1, 2)}"
        if shape < 6:
            return f"({self.term()} ^ {r.randrange(n)})"
        if shape < 7:
            return f"{self.term()} + {self.term()}"
        if shape < 8:
            return f"min({self.term()} * 2, {n - r.randrange(2)})"
        return f"({self.term()} > {r.randrange(n)} ? {self.term()} : {self.term()} / 2)"

    def condition(self):
        r = self.rng
        return f"{self.term()} {r.choice(['<', '<=', '>', '>=', '==', '!='])} {r.randrange(-1, self.length + 1)}"

    def block(self, head):
        self.emit(head + " {")
        self.depth += 1
        self.body(self.rng.randrange(1, 3))
        self.depth -= 1
        self.emit("}")

    def body(self, steps):
        r = self.rng
        for _ in range(steps):
            kind = r.randrange(9)
            if kind < 4 or self.depth > 3:
                place = r.choice([f"one[{self.index()}]", f"own[{self.index()}]", f"rows[{self.index()}][{self.index()}]",
                                  f"vectors[l.x][{self.index()}]"])
                self.emit(f"sum += {place};")
            elif kind < 6:
                self.block(f"if ({self.condition()})")
            elif kind < 7:  # two counters that move together, as in a scan
                a, b = (f"k{len(self.counters) + n}" for n in range(2))
                loop = r.choice([f"int {a} = 1, {b} = {r.choice([4, 8, 16])}; {b} > 0; {a} *= 2, {b} >>= 1",
                                 f"int {a} = {r.choice([8, 16, 32])}, {b} = 1; {a} > 1; {a} /= 2, {b} *= 2",
                                 f"int {a} = 0, {b} = {r.randrange(1, 6)}; {b} > 0; {a} += 3, {b} -= 1",
                                 f"int {a} = 0, {b} = {r.randrange(1, 6)}; {b} < 6; {a} ^= {r.randrange(1, 9)}, {b} += 2"])
                self.counters += [a, b]
                self.block(f"for ({loop})")
                del self.counters[-2:]
            else:
                counter = f"k{len(self.counters)}"
                loop = r.choice([f"int {counter} = {r.randrange(-1, 2)}; {counter} < {r.randrange(1, 8)}; ++{counter}",
                                 f"int {counter} = {r.randrange(3, 40)}; {counter} > 0; {counter} /= 2",
                                 f"int {counter} = t; {counter} < {self.length + r.randrange(2)}; {counter} += {r.randrange(3, 20)}"])
                self.counters.append(counter)
                self.block(f"for ({loop})")
                self.counters.pop()

    def text(self):
        x, y, z = self.size
        head = ["#version 430", f"layout(local_size_x = {x}, local_size_y = {y}, local_size_z = {z}) in;",
                f"layout(set = 0, binding = 0) buffer Data {{ float data[{self.length}]; }};",
                f"shared float one[{self.length}], rows[{y * z + 1}][{x}];", f"shared vec4 vectors[{x}];", "void main() {",
                "  int t = int(gl_LocalInvocationIndex); float sum = 0.0;",
                f"  float own[{self.length}]; for (int n = 0; n < {self.length}; ++n) own[n] = data[n];", "  ivec3 l = ivec3(gl_LocalInvocationID);",
                "  one[t] = data[t]; rows[t / 4 % 2][t % 4] = data[t]; vectors[l.x] = vec4(data[t]); barrier();"]
        return "\n".join(head + self.lines + ["  data[t] = sum;", "}", ""])


def claimed_lines(lanewise, path):
    # What stands behind a choice has no line: glslang writes none there.
    return {f["line"] for f in linted(lanewise, path, "index-out-of-range") if "line" in f}


def interpreted_lines(lanewise, path):
    return {f["line"] for f in interpreted(lanewise, path) if f["kind"] == "out-of-range"}


def main():
    lanewise, folder, seed, count = sys.argv[1:]
    rng = random.Random(int(seed))
    real_lines, found_lines = 0, 0
    for path in compile_all(lanewise, folder, [Kernel(rng).text() for _ in range(int(count))]):
        claimed, real = claimed_lines(lanewise, path), interpreted_lines(lanewise, path)
        if claimed - real:
            sys.exit(f"{path}: lint finds lines {sorted(claimed)} out of range, the interpreter {sorted(real)}")
        real_lines += len(real)
        found_lines += len(claimed)
    print(f"{count} kernels, {real_lines} lines out of range, lint found {found_lines} of them")
    if found_lines * 2 < real_lines or real_lines == 0:
        sys.exit("too few found")


if __name__ == "__main__":
    main()
