"""utils/kernels/costs must find the costs of a device from its times alone."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "utils/kernels/costs"
sys.path.insert(0, str(ROOT / "utils/kernels"))
sys.dont_write_bytecode = True

import cost_kernels

# A device whose costs are known: it reads the kernels that it is given. Operations cost 1, a division 20, a
# multiplication 3; a branch costs 2, and 10 where lanes disagree; arms of up to 7 operations are flattened code.
PROGRAM = f"#!{sys.executable} -S\n" r'''import json, pathlib, re, sys, tomllib

def operations(lines):
    total = 0
    for statement in " ".join(lines).split(";"):
        if re.fullmatch(r"\s*(uint )?\w+ = \w+\s*|\s*", statement):
            continue  # a copy
        total += 20 if "/" in statement else 3 if "*=" in statement else 1
        total += "|" in statement and "/" in statement  # the spacer of a division
    return total

def turn(text, words, mask):
    body = [line.strip() for line in text.split("++r) {\n")[1].split("\n  }\n")[0].splitlines()]
    if "if (bit != 0u)" not in body:
        return operations(body)
    start = body.index("if (bit != 0u)")
    end = body.index("}")
    then, other, rest = body[start + 2:end], [], body[end + 1:]
    if rest[0] == "else":
        end = rest.index("}")
        other, rest = rest[2:end], rest[end + 1:]
    common = operations(body[:start] + rest) + 1
    then, other = operations(then), operations(other)
    if max(then, other) <= 7:
        return common + then + other
    if words == "zeros":
        return common + other + 2
    if words == "ones":
        return common + then + 2
    return common + (2 + (then + other) / 2 if mask == 0xffffff00 else 10 + then + other)

path = next(pathlib.Path(a.split("=", 1)[1]) for a in sys.argv if a.startswith("--scenario="))
scenario = tomllib.loads(path.read_text())
texts = {shader["name"]: (path.parent / shader["file"]).read_text() for shader in scenario["shader"]}
if any("double x0" in text for text in texts.values()):
    print(json.dumps({"state": "unverified", "reason": "no doubles", "original": {}, "variants": []}))
    sys.exit(0)

def time(dispatch):
    (push,) = dispatch["push_constants"]
    rounds, mask = push["value"]
    work = turn(texts[dispatch["shader"]], dispatch["bind"]["2"], mask)
    return 30 + UNIT * rounds * work

base = time(scenario["dispatch"][0])
variants = [{"name": "again", "timing": {"ratio": 1, "ratio-low": 1, "ratio-high": 1}}]
for variant in scenario["variant"]:
    ratio = time(variant["dispatch"][0]) / base
    variants.append({"name": variant["name"], "timing": {
        "ratio": ratio, "ratio-low": ratio - SPREAD, "ratio-high": ratio + SPREAD}})
print(json.dumps({"state": "equal", "device": "a GPU", "driver": "1.0", "cpu-device": False,
                  "original": {"timing": {"median-us": base}}, "variants": variants}))
'''


class Costs(unittest.TestCase):
    def run_script(self, *arguments, unit=0.25, spread=0):
        """(exit code, standard output, standard error, figures) on the known device."""
        with tempfile.TemporaryDirectory() as folder:
            program, figures = pathlib.Path(folder, "lanewise"), pathlib.Path(folder, "figures.json")
            program.write_text(PROGRAM.replace("UNIT", str(unit)).replace("SPREAD", str(spread)))
            program.chmod(0o755)
            done = subprocess.run([sys.executable, SCRIPT, f"--program={program}", f"--json={figures}", *arguments],
                                  capture_output=True, text=True, check=False)
            known = json.loads(figures.read_text()) if figures.exists() else None
        return done.returncode, done.stdout, done.stderr, known

    def test_operations(self):
        only = [f"--only={key}" for key in ("integer", "multiply", "integer-divide", "select", "shift", "double-add")]
        code, text, _, figures = self.run_script(*only)
        self.assertEqual(code, 0)
        for key, cost in (("integer", 1), ("multiply", 3), ("integer-divide", 20), ("select", 1)):
            self.assertAlmostEqual(figures["operations"][key], cost, msg=key)
        self.assertIn("| integer divide | `integer-divide` | 20.00 |", text)
        self.assertIn("| double add, subtract | `double-add` | the device has none |", text)
        self.assertNotIn("double", figures["cost"])
        self.assertIn("\nmultiply = 3.0\n", text)
        self.assertIn("\n# select: 1.0\n", text)
        # 4224 * 256 lanes, one operation in 0.25 us.
        self.assertIn("integer operations: 4.33 T a second", text)

    def test_branches(self):
        code, _, _, figures = self.run_script("--only=branches")
        self.assertEqual(code, 0)
        for length in ("32", "64"):
            found = figures["branches"][length]
            self.assertAlmostEqual(found["diamond, lanes disagree"], 10)
            self.assertAlmostEqual(found["diamond, lanes agree"], 2)
            self.assertAlmostEqual(found["triangle, lanes disagree"], 10)
            self.assertAlmostEqual(found["triangle, all lanes take the arm"], 2)
            self.assertAlmostEqual(found["triangle, no lane takes the arm"], 2)
            self.assertAlmostEqual(found["both arms in a row"], 2 * int(length))
        self.assertEqual(figures["cost"], {"branch": 10, "branch where lanes agree": 2})

    def test_sweep(self):
        _, text, _, figures = self.run_script("--only=sweep")
        self.assertEqual(figures["cost"], {"straight triangle": 7, "straight diamond": 14, "predicated-arm": 7})
        end = "predicated-arm = 7\n# straight triangle: 7\n# straight diamond: 14\n```\n"
        self.assertTrue(text.endswith(end), text)
        # Bit, if or select, arm, three operations between turns; 1.9 for a turn's share of the launch. From 8 on, a branch.
        self.assertIn("| 7 | 13.9 | 13.9 | 13.9 | 13.9 | 20.9 | 20.9 | 20.9 |", text)
        self.assertIn("| 8 | 24.9 | 8.9 | 16.9 | 14.9 | 32.9 | 16.9 | 22.9 |", text)

    def test_lengths_of_the_sweep(self):
        _, _, _, figures = self.run_script("--only=sweep", "--arms=8,4")
        self.assertEqual(list(figures["sweep"]), ["8", "4"])
        self.assertEqual(figures["cost"]["predicated-arm"], 4)

    def test_spread(self):
        """Half an interval is of the difference of two times, which are ratios to the unit's time."""
        _, text, _, _ = self.run_script("--only=integer", spread=0.01)
        self.assertIn("| `integer` | 1.00 ± 0.02 |", text)

    def test_too_short(self):
        """Without a time there is no cost, and JSON that every reader takes."""
        code, text, _, figures = self.run_script("--only=integer", "--only=sweep", "--arms=1", unit=0)
        self.assertEqual(code, 0)
        self.assertIn("| `integer` | nan |", text)
        self.assertIsNone(figures["operations"]["integer"])
        self.assertEqual(figures["cost"]["predicated-arm"], 0)

    def test_bad_usage(self):
        for argument, complaint in (("--only=nonsense", "there are"), ("--groups=0", "1 or more"),
                                    ("--arms=0", "1 or more"), ("--nonsense", "--nonsense")):
            code, _, errors, _ = self.run_script(argument)
            self.assertEqual(code, 1)
            self.assertIn(complaint, errors)


class Kernels(unittest.TestCase):
    """The lengths that the costs are divided by must be what the kernels have."""

    def body(self, text):
        return text.split("++r) {\n")[1].split("\n  }\n")[0]

    def test_steps(self):
        for operation in cost_kernels.OPERATIONS:
            short, long = (self.body(cost_kernels.operation_kernel(operation, n * operation.length)) for n in (1, 2))
            self.assertEqual(long.count(";"), 2 * short.count(";"), operation.key)
            groups = operation.length // cost_kernels.CHAINS
            self.assertEqual(short.count(";"), operation.length + groups * operation.prologue.count(";"), operation.key)
            turn = cost_kernels.CHAINS * len(operation.steps)
            self.assertEqual(operation.length % turn, 0, f"{operation.key}: the long body repeats the short one")

    def test_arms(self):
        for kind in ("then", "else"):
            self.assertEqual([len(cost_kernels.arm(n, kind)) for n in (1, 8, 32)], [1, 8, 32])
        self.assertFalse(set(cost_kernels.arm(32, "then")) & set(cost_kernels.arm(32, "else")))

    def test_branch_has_both_arms(self):
        diamond, triangle = (cost_kernels.branch_kernel(8, is_diamond) for is_diamond in (True, False))
        for line in cost_kernels.arm(8, "then"):
            self.assertIn(line, diamond)
            self.assertIn(line, triangle)
        self.assertEqual(len(re.findall(r"\belse\b", diamond)), 1)
        self.assertNotIn("else", triangle)


if __name__ == "__main__":
    unittest.main()
