"""Random kernels whose races lint proves: the interpreter must find each of them, at one of its lines at least.

usage: random_races.py LANEWISE FOLDER SEED COUNT

Kernels read and write shared arrays at random places, in loops and branches, with barriers here and there; nothing
depends on data, so that every run shows what there is. Fails on a race that the interpreter does not find, and
when lint found fewer than half of the kernels that race.
"""

import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
from random_kernels import compile_all, interpreted, linted  # pylint: disable=wrong-import-position

SIZES = [(64, 1, 1), (16, 4, 1), (8, 4, 2), (32, 1, 1)]


class Kernel:
    def __init__(self, rng):
        self.rng = rng
        self.size = rng.choice(SIZES)
        self.lanes = self.size[0] * self.size[1] * self.size[2]
        self.counters = []
        self.depth = 1
        self.isDivergent = False
        self.lines = []
        self.body(rng.randrange(3, 7))

    def emit(self, line):
        self.lines.append("  " * self.depth + line)

    def index(self):
        r, n = self.rng, self.lanes
        own = ["t", "t", "t", "l.z * gl_WorkGroupSize.x * gl_WorkGroupSize.y + l.y * gl_WorkGroupSize.x + l.x"]
        other = [f"(t ^ {r.randrange(1, n)}u)", f"(t + {r.randrange(1, n)}u) % {n}u", "t / 2u", "(t & 7u)",
                 f"{n - 1}u - t", "l.x", str(r.randrange(n))]
        moving = [f"(t + {c} * {r.randrange(1, 9)}u) % {n}u" for c in self.counters]
        return r.choice(own * 6 + other + moving)

    def array(self):
        r = self.rng
        half = r.choice(["0", "1"] + [f"({c} & 1u)" for c in self.counters])
        return r.choice([f"one[{self.index()}]", f"one[{self.index()}]", f"pair[{half}][{self.index()}]"])

    def body(self, steps):
        for _ in range(steps):
            self.step()

    def block(self, head, steps, isDivergent=False):
        self.emit(head + " {")
        before, self.isDivergent = self.isDivergent, self.isDivergent or isDivergent
        self.depth += 1
        self.body(steps)
        self.depth -= 1
        self.isDivergent = before
        self.emit("}")

    def step(self):
        r = self.rng
        kind = r.randrange(12)
        if kind < 4 and not self.isDivergent:
            self.emit("barrier();")
        elif kind < 6:
            self.emit(f"{self.array()} = t * {r.randrange(2, 50)}u + {r.randrange(1000)}u;")
        elif kind < 8 or self.depth > 3:
            self.emit(f"sum += {self.array()};")
        elif kind < 9:
            condition = r.choice([f"t < {r.randrange(1, self.lanes)}u", f"t == {r.randrange(self.lanes)}u", "(t & 1u) == 0u"])
            self.block(f"if ({condition})", r.randrange(1, 3), True)
        elif kind < 10 and self.counters:
            self.block(f"if ({r.choice(self.counters)} {r.choice(['==', '>', '<'])} {r.randrange(3)}u)", r.randrange(1, 3))
        else:
            counter = f"k{len(self.counters)}"
            loop = r.choice([f"uint {counter} = 0u; {counter} < {r.randrange(1, 4)}u; ++{counter}",
                             f"uint {counter} = {r.randrange(2, 5)}u; {counter} > 0u; {counter} >>= 1",
                             f"uint {counter} = t & 1u; {counter} < 3u; ++{counter}"])
            isDivergent = "t &" in loop
            if not isDivergent:
                self.counters.append(counter)
            self.block(f"for ({loop})", r.randrange(1, 4), isDivergent)
            if not isDivergent:
                self.counters.pop()

    def text(self):
        x, y, z = self.size
        head = ["#version 430", f"layout(local_size_x = {x}, local_size_y = {y}, local_size_z = {z}) in;",
                f"layout(set = 0, binding = 0) buffer Data {{ uint data[{self.lanes}]; }};",
                f"shared uint one[{self.lanes}], pair[2][{self.lanes}];", "void main() {",
                "  uint t = gl_LocalInvocationIndex, sum = 0u;", "  uvec3 l = gl_LocalInvocationID;"]
        return "\n".join(head + self.lines + ["  data[t] = sum;", "}", ""])


def races_of(lanewise, path):
    return [(f["args"]["variable"].strip("'"), {note["line"] for note in f["notes"]})
            for f in linted(lanewise, path, "shared-memory-race")]


def interpreted_races(lanewise, path):
    return [(f["variable"], {f["line"], f["other-line"]}) for f in interpreted(lanewise, path)
            if f["kind"].startswith("race-") and f["variable"] in ("one", "pair")]


def main():
    lanewise, folder, seed, count = sys.argv[1:]
    rng = random.Random(int(seed))
    racing, found = 0, 0
    for path in compile_all(lanewise, folder, [Kernel(rng).text() for _ in range(int(count))]):
        claimed, real = races_of(lanewise, path), interpreted_races(lanewise, path)
        for variable, lines in claimed:
            # The interpreter remembers the last store only, which may hide the other line.
            if not any(variable == name and lines & places for name, places in real):
                sys.exit(f"{path}: lint claims a race of lines {sorted(lines)} on {variable}, the interpreter finds {real}")
        racing += bool(real)
        found += bool(claimed)
    print(f"{count} kernels, {racing} race, lint found {found} of them")
    if found * 2 < racing or racing == 0 or racing == int(count):
        sys.exit("too few found, or kernels that are all alike")


if __name__ == "__main__":
    main()
