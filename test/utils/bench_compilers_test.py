"""utils/bench_compilers must put models' and compilers' opinions of the same rewrites side by side."""

import importlib.machinery
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "utils/bench_compilers"
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("bench_compilers", str(SCRIPT))
bench = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench_compilers", loader))
loader.exec_module(bench)

# Modules are JSON: the gain of a branch, and the figures with and without flattening it.
PROGRAM = f"#!{sys.executable} -S\n" r'''import json, pathlib, sys

command, *arguments = sys.argv[1:]
if command == "passes":
    print("Passes:\n  --gvn\n\n-O is exactly these flags, with more:\n  --gvn    (canonical)\n  --branch-to-predication\n  --gvn\n\n  --inline")
    sys.exit(0)
if command == "opt":
    facts = json.loads(pathlib.Path(arguments[0]).read_text())
    if any(a.startswith("--keep-if=cheaper:navi21") for a in arguments):
        if not facts.get("pays"):
            print(json.dumps({"kind": "warning", "pass": "keep-if", "name": "not-cheaper"}))
        sys.exit(0)
    if facts["gain"]:
        print(json.dumps({"kind": "applied", "pass": "branch-to-predication",
                          "args": {"cost-before": str(facts["gain"] + 1), "cost-after": "1"}}))
        print(json.dumps({"kind": "missed", "pass": "pad-shared-memory", "args": {}}))
    sys.exit(0)
value = lambda name: next(a for a in arguments if a.startswith(f"--{name}=")).split("=", 1)[1]
which = "without" if any(a.startswith("--skip=branch-to-predication") for a in arguments) else "with"
files = []
for line in pathlib.Path(arguments[0]).read_text().split():
    figure = json.loads(pathlib.Path(line).read_text())[which]
    start = {"inverse_throughput": json.loads(pathlib.Path(line).read_text()).get("input", 1), "instructions": 7}
    rows = [{"compiler": value("compiler-stats"), "entry": e, "before": start if e == "main" else after, "after": after}
            for e, after in (("main", {"inverse_throughput": figure}), ("other", {"inverse_throughput": 1}))]
    files.append({"input": line, "compiler-stats": rows if figure else [{**rows[0], "after": None}]})
pathlib.Path(value("json")).write_text(json.dumps({"files": files}))
'''


class BenchCompilers(unittest.TestCase):
    def run_on(self, *flags, **modules):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            program = folder / "program"
            program.write_text(PROGRAM)
            program.chmod(0o755)
            for name, (gain, without, with_it, *more) in modules.items():
                facts = {"gain": gain, "without": without, "with": with_it}
                (folder / f"{name}.spv").write_text(json.dumps({**facts, **dict(zip(("input", "pays"), more))}))
            done = subprocess.run([SCRIPT, f"--program={program}", "--on=navi21", *flags, folder], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout

    def test_ranks_share_a_place(self):
        self.assertEqual(bench.ranks([5, 1, 5, 9]), [2.5, 1, 2.5, 4])

    def test_correlation(self):
        self.assertAlmostEqual(bench.correlation([1, 2, 3], [10, 20, 40]), 1)
        self.assertAlmostEqual(bench.correlation([1, 2, 3], [3, 2, 1]), -1)
        self.assertIsNone(bench.correlation([1, 1, 1], [3, 2, 1]))

    def test_only_rewrites_that_were_made_count(self):
        applied = {"kind": "applied", "pass": "eliminate-redundant-barriers"}
        self.assertEqual(bench.gains_by_pass([applied, applied, {**applied, "kind": "missed"}]),
                         {"eliminate-redundant-barriers": 2})

    def test_table_and_disagreements(self):
        out = self.run_on(a=(3, 99, 79), b=(2, 99, 94), c=(1, 99, 109), none=(0, 50, 50), broken=(4, 0, 0))
        self.assertRegex(out, r"branch-to-predication +navi21 +3 +1\.00 +2 +1\n")
        self.assertRegex(out, r"1\.100  navi21  branch-to-predication  c\.spv  \(model: \+1\)")
        self.assertNotIn("pad-shared-memory", out)

    def test_against_input(self):
        out = self.run_on("--against-input", a=(1, 99, 109, 99), b=(1, 119, 119, 99, True), c=(1, 99, 100, 99),
                          d=(1, 99, 79, 99), broken=(1, 0, 0, 99))
        # 110/100, 120/100, 101/100, 80/100
        self.assertRegex(out, r"\nnavi21 +4 +1\.0162 +1 +2 +500\.0 +1\n")
        self.assertRegex(out, r"\n  1\.200  navi21  b\.spv  instructions \? -> \?, not without several; pays by the formula\n"
                              r"  1\.100  navi21  a\.spv  instructions \? -> \?, not without branch-to-predication\n$")

    def test_nothing_found(self):
        with tempfile.TemporaryDirectory() as empty:
            for inputs, why in ((empty, "no .spv files in"), (f"{empty}/nowhere", "no such file or folder")):
                done = subprocess.run([SCRIPT, inputs], capture_output=True, text=True)
                self.assertEqual(done.returncode, 1)
                self.assertIn(why, done.stderr)


if __name__ == "__main__":
    unittest.main()
