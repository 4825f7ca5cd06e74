"""Flips bits of a module, one at a time, and runs the program on each result.

usage: flip_bits.py LANEWISE MODULE SCRATCH OUTPUT
"""

import pathlib
import subprocess
import sys

program, module, scratch, output = sys.argv[1:]
original = pathlib.Path(module).read_bytes()
# Every word once, at a bit that moves with it: 1 in 32 of all flips, of every kind.
for word in range(len(original) // 4):
    bit = word * 32 + word * 7 % 32
    flipped = bytearray(original)
    flipped[bit // 8] ^= 1 << bit % 8
    pathlib.Path(scratch).write_bytes(flipped)
    pathlib.Path(output).unlink(missing_ok=True)
    run = subprocess.run([program, "opt", scratch, "-o", output, "--ssa-rewrite"], capture_output=True, text=True)
    lines = run.stderr.splitlines()
    if run.returncode == 0:
        assert pathlib.Path(output).exists(), f"bit {bit}: nothing written"
    else:
        assert run.returncode == 1 and len(lines) == 1, f"bit {bit}: exit {run.returncode}, {lines}"
        assert not pathlib.Path(output).exists(), f"bit {bit}: written in spite of an error"
