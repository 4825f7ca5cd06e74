"""utils/oracle must tell which modules come out differently, and when it could compare nothing."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "utils/oracle"

# A program whose outputs name what they are made of. What differs, races or breaks says so in its name.
PROGRAM = f"#!{sys.executable} -S\n" r'''import json, pathlib, sys

command, *arguments = sys.argv[1:]
if command == "opt":
    module = arguments[0]
    if "broken" in module:
        sys.exit(1)
    kind = "theirs" if "-O=spirv-opt" in arguments else "ours"
    pathlib.Path(arguments[arguments.index("-o") + 1]).write_text(f"{kind} {pathlib.Path(module).name}")
    sys.exit(0)
first, ours = (pathlib.Path(a).read_text().split() for a in arguments[:2])
assert first[0] in ("theirs", "module") and ours[0] == "ours" and first[1] == ours[1]
if ours[1] == "rounds.spv":
    ours[1] = "differs.spv" if first[0] == "theirs" else "a.spv"
states = {"differs.spv": ("differs", 2), "race.spv": ("original-unsound", 2)}
state, code = states.get(ours[1], ("equal", 0))
report = {"state": state} | ({"reason": "element 3"} if state == "differs" else {})
next(pathlib.Path(a.split("=", 1)[1]) for a in arguments if a.startswith("--json=")).write_text(json.dumps(report))
sys.exit(code)
'''


class Oracle(unittest.TestCase):
    def run_on(self, *names):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            program = folder / "program"
            program.write_text(PROGRAM)
            program.chmod(0o755)
            modules = folder / "modules"
            modules.mkdir()
            for name in names:
                (modules / name).write_text(f"module {name}")
            return subprocess.run([sys.executable, SCRIPT, f"--program={program}", modules], capture_output=True, text=True)

    def test_all_equal(self):
        done = self.run_on("a.spv", "b.comp", "c.txt")
        self.assertEqual((done.returncode, done.stdout), (0, "2 equal, 0 differ, 0 where theirs alone differs, 0 not compared\n"), done.stderr)

    def test_names_what_differs(self):
        done = self.run_on("a.spv", "differs.spv")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("differs.spv: element 3\n1 equal, 1 differ, 0 where theirs alone differs, 0 not compared\n", done.stdout)

    def test_spirv_opt_alone_may_differ(self):
        done = self.run_on("rounds.spv")
        self.assertEqual((done.returncode, done.stdout), (0, "0 equal, 0 differ, 1 where theirs alone differs, 0 not compared\n"))

    def test_counts_what_it_could_not_compare(self):
        done = self.run_on("a.spv", "broken.spv", "race.spv")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 equal, 0 differ, 0 where theirs alone differs, 2 not compared\n", done.stdout)
        self.assertIn("  1 not optimized\n", done.stdout)
        self.assertIn("  1 original-unsound\n", done.stdout)

    def test_nothing_compared_is_a_failure(self):
        self.assertEqual(self.run_on("race.spv").returncode, 1)
        self.assertEqual(self.run_on().returncode, 1)


if __name__ == "__main__":
    unittest.main()
