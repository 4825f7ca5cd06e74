"""Random kernels with a barrier behind every step, whose redundant barriers are removed; the interpreter looks for races.

usage: random_barriers.py LANEWISE FOLDER SEED COUNT

A step either reads shared or buffer memory or writes it, never both, and what it writes is different in every
invocation, or an atomic. With a full barrier behind each step a kernel has no race, and most of its barriers are
needed by nobody. Whatever the pass leaves must have no race either, and give the same output.
Fails on the first kernel that is not as good as before, and when too few barriers went, or none stayed.
"""

import os
import random
import subprocess
import sys

SIZES = [(64, 1, 1), (16, 4, 1), (8, 4, 2), (8, 8, 1), (32, 1, 1)]
BARRIERS = [
    "barrier();",
    "memoryBarrierShared(); barrier();",
    "groupMemoryBarrier(); barrier();",
    "barrier(); barrier();",
    "controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared | gl_StorageSemanticsBuffer, "
    "gl_SemanticsAcquireRelease);",
]
BUFFER_BARRIERS = [
    "memoryBarrierBuffer(); barrier();",
    "memoryBarrier(); barrier();",
    "controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, gl_StorageSemanticsShared | gl_StorageSemanticsBuffer, "
    "gl_SemanticsAcquireRelease);",
]
# Which components of the size are specialization constants, mostly none.
OPEN_SIZES = ["", "", "", ", local_size_x_id = 0", ", local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2"]


class Kernel:
    def __init__(self, rng):
        self.rng = rng
        self.size = rng.choice(SIZES)
        self.lanes = self.size[0] * self.size[1] * self.size[2]
        self.loops = []  # names of the counters in scope
        self.lines = []
        self.temporaries = 0

    def emit(self, line):
        self.lines.append("  " * (1 + len(self.loops)) + line)

    # A permutation of the invocations: different ones for different invocations.
    def permutation(self):
        r, n = self.rng, self.lanes
        uniform = r.choice([str(r.randrange(n))] + [f"{c} * {r.choice([1, 2, 3])}u" for c in self.loops] + ["count"])
        return r.choice([
            "t", "t", "t", "t", f"{n - 1}u - t", f"(t ^ {r.randrange(n)}u)", f"((t + {uniform}) % {n}u)",
            f"((t * {r.choice([3, 5, 7])}u) & {n - 1}u)", "(l.z * gl_WorkGroupSize.y + l.y) * gl_WorkGroupSize.x + l.x",
            f"(t / 2u + (t & 1u) * {n // 2}u)"])

    # Any index.
    def index(self):
        r, n = self.rng, self.lanes
        return r.choice([self.permutation(), self.permutation(), str(r.randrange(n)), "(t & 15u)", "(t >> 1)",
                         "l.y * 8u + (l.x & 7u)", f"(t * {r.randrange(2, 9)}u) % {n}u", f"min(t + 1u, {n - 1}u)"])

    def half(self):
        return self.rng.choice(["0", "1"] + [f"({c} & 1u)" for c in self.loops] * 2 + ["flip", "1u - flip"])

    # Memory that invocations share: how an element with a given index is named.
    def memory(self, index):
        r = self.rng
        return r.choice([f"s[{index}]", f"s[{index}]", f"w[{self.half()}][{index}]", f"w[{self.half()}][{index}]",
                         f"m[l.z][l.y][l.x]" if index == "t" else f"s[{index}]", f"v[{index}].{r.choice('xyz')}",
                         f"p[{index}].{r.choice(['a', 'b'])}", f"dst[base + ({index})]"])

    def guard(self):
        r, n = self.rng, self.lanes
        return r.choice(["", "", "", f"if (t < {r.randrange(1, n)}u) ", f"if (t == {r.randrange(n)}u) ",
                         "if ((t & 1u) == 0u) ", "if (l.y == 0u) ", "if (value > 100u) "])

    def barrier(self, onBuffer):
        self.emit(self.rng.choice(BUFFER_BARRIERS if onBuffer else BARRIERS))

    def step(self):
        r = self.rng
        kind = r.randrange(10)
        if kind < 4:
            place = self.memory(self.index())
            self.emit(f"{self.guard()}value += {place};")
        elif kind < 8:
            place = self.memory(self.permutation())
            self.emit(f"{self.guard()}{place} = value + {r.randrange(100)}u;")
        elif kind == 8:
            place = f"h[{self.index()}]"
            self.emit(f"{self.guard()}atomicAdd({place}, value & 15u);")
        else:
            place = f"h[{self.index()}]"
            self.emit(f"{self.guard()}value ^= {place};")
        self.barrier("dst" in place or r.random() < 0.1)

    def block(self, depth):
        r = self.rng
        for _ in range(r.randrange(2, 5)):
            kind = r.randrange(8)
            if kind == 0 and depth < 2:
                counter = f"i{len(self.loops)}"
                bound = r.choice(["2u", "3u", "count", "4u"])
                start = r.choice([f"uint {counter} = 0u; {counter} < {bound}; ++{counter}",
                                  f"uint {counter} = 4u; {counter} > 0u; {counter} >>= 1"])
                self.emit(f"for ({start}) {{")
                self.loops.append(counter)
                self.block(depth + 1)
                if r.random() < 0.5:
                    self.emit("flip = 1u - flip;")
                self.loops.pop()
                self.emit("}")
            elif kind == 1 and depth < 2:
                self.emit(f"if (count > {r.choice([1, 2, 3])}u) {{")
                self.loops.append(self.loops[-1] if self.loops else "0u")
                self.block(depth + 1)
                self.loops.pop()
                self.emit("}")
            else:
                self.step()

    def text(self):
        self.block(0)
        self.step()
        x, y, z = self.size
        n = self.lanes
        body = "\n".join(self.lines)
        return f"""#version 430
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = {x}, local_size_y = {y}, local_size_z = {z}{self.rng.choice(OPEN_SIZES)}) in;
layout(binding = 0) readonly buffer Source {{ uint src[]; }};
layout(binding = 1) {self.rng.choice(["", "restrict "])}buffer Target {{ uint dst[]; }};
layout(binding = 2) uniform Settings {{ uint count; }};
struct Two {{ uint a; uint b; }};
shared uint s[{n}];
shared uint w[2][{n}];
shared uint m[{z}][{y}][{x}];
shared uvec3 v[{n}];
shared Two p[{n}];
shared uint h[{n}];
void main() {{
  uint t = gl_LocalInvocationIndex;
  uvec3 l = gl_LocalInvocationID;
  uint base = gl_WorkGroupID.x * {2 * n}u;
  uint flip = 0u;
  uint value = src[gl_WorkGroupID.x * {n}u + t];
  s[t] = w[0][t] = w[1][t] = m[l.z][l.y][l.x] = value;
  v[t] = uvec3(value);
  p[t] = Two(value, t);
  h[t] = 0u;
  dst[base + t] = t;
  memoryBarrier();
  barrier();
{body}
  memoryBarrier();
  barrier();
  dst[base + {n}u + t] = value + s[t] + w[0][t] + w[1][t] + m[l.z][l.y][l.x] + v[t].x + p[t].a + h[t];
}}
"""


SCENARIO = """
[[shader]]
name = "main"
file = "{name}.comp"
[[buffer]]
name = "source"
type = "u32"
count = {source}
init = {{ kind = "random", low = 0, high = 200, seed = {seed} }}
[[buffer]]
name = "target"
type = "u32"
count = {target}
init = "iota"
[[buffer]]
name = "settings"
type = "u32"
count = 1
kind = "uniform"
init = {{ kind = "values", values = [{count}] }}
[[dispatch]]
shader = "main"
groups = [2]
bind = {{ 0 = "source", 1 = "target", 2 = "settings" }}
"""


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def main():
    lanewise, folder, seed, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    os.makedirs(folder, exist_ok=True)
    rng = random.Random(seed)
    for number in range(count):
        kernel = Kernel(rng)
        base = os.path.join(folder, str(number))
        with open(base + ".comp", "w") as file:
            file.write(kernel.text())
        with open(base + ".toml", "w") as file:
            file.write(SCENARIO.format(name=number, source=2 * kernel.lanes, target=4 * kernel.lanes, seed=number + 1,
                                       count=rng.choice([1, 2, 3, 4])))
    # All in one process: glslang reads its built-in functions for longer than it compiles such a kernel.
    modules = folder + ".modules"
    subprocess.run([lanewise, "batch", folder, "--inline-entry-points-exhaustive", "--ssa-rewrite", "-g", "-o", modules],
                   stdout=subprocess.DEVNULL, check=True)
    removed = kept = sound = 0
    for number in range(count):
        base = os.path.join(folder, str(number))
        before, after = os.path.join(modules, f"{number}.comp.spv"), base + ".out.spv"
        commands = [
            [lanewise, "opt", before, "--eliminate-redundant-barriers", "--remarks=text", "-g", "-o", after],
            [lanewise, "verify", before, after, f"--scenario={base}.toml", "--device=interpreter"],
        ]
        for step, command in enumerate(commands):
            code, output = run(command)
            if step == 0:
                removed += output.count(" remark: removed ") + output.count(" remark: merged ")
                kept += output.count(" missed: kept ")
            if step == 1:
                sound += "outputs equal" in output
            if code != 0:
                print(f"{' '.join(command)}\nexit code {code}\n{output}")
                return 1
    print(f"{count} kernels: {removed} barriers removed, {kept} kept, {sound} kernels without a race")
    return 0 if removed >= count and kept >= count and sound == count else 1


sys.exit(main())
