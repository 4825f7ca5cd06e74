"""utils/kernels/run must find what is wrong, and tell figures as lanewise gives them."""

import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "utils/kernels/run"

# Stands for lanewise: `opt` writes a module that says whether the pass was skipped, and the remark (of a scenario: a
# folder, in which all shaders are that module); `verify`
# prints the report; `passes` a short pipeline. What a test wants of it stands in files beside it, and what it was
# asked to do stands in `calls`.
PROGRAM = f"#!{sys.executable} -S\n" '''import os, sys
# Started some hundred times: what takes long to import only where it is needed.
here = sys.argv[0].rpartition("/")[0]
def read(path):
    with open(path) as file:
        return file.read()
def write(path, text):
    with open(path, "w") as file:
        file.write(text)
with open(here + "/calls", "a") as calls:
    print(*sys.argv[1:], file=calls)
if sys.argv[1] == "passes":
    print(read(here + "/passes"))
    sys.exit(0)
if sys.argv[1] == "verify":
    print(read(here + "/report.json"))
    sys.exit(int(read(here + "/exit")))
output = sys.argv[sys.argv.index("-o") + 1]
predicates = any(a.startswith("--branch-to-predication") for a in sys.argv)
skips = any(a.startswith("--skip=") for a in sys.argv) or not ("-O" in sys.argv or predicates)
is_unchanged = os.path.exists(here + "/unchanged")
module = "same" if skips or is_unchanged else "other"
for flag, text in (("", "same" if is_unchanged else "tiles"), ("=aosoa", "tiles"), ("=soa", "runs")):
    if "--aos-to-soa" + flag in sys.argv:
        module = text
scenarios = [a.split("=", 1)[1] for a in sys.argv if a.startswith("--scenario=")]
if not scenarios:
    write(output, module)
else:
    import tomllib
    for shader in tomllib.loads(read(scenarios[0]))["shader"]:
        write(output + "/" + shader["name"] + ".spv", module)
    if module in ("tiles", "runs"):
        write(output + "/layout.json", "")
if not skips:
    remarks = next(a.split("=", 1)[1] for a in sys.argv if a.startswith("--remarks-file="))
    write(remarks, read(here + "/remarks.jsonl"))
'''
PASSES = """Passes of Lanewise:
  --branch-to-predication[=auto|always]
      turn short branches into selects

-O is exactly these flags, with unused bindings and specialization constants kept:
  --ssa-rewrite
  --branch-to-predication    (Lanewise)
  --if-conversion
  --scalar-replacement=100

-Os is that of the installed spirv-opt.
"""
APPLIED = {
    "kind": "applied", "pass": "pad-shared-memory", "name": "padded", "message": "",
    "args": {"array": "s", "extents-before": "[8]", "extents-after": "[9]", "degree-before": "4", "degree-after": "1",
             "cycles-before": "100", "cycles-after": "20", "arithmetic-added": "5"}}
MISSED = {
    "kind": "missed", "pass": "pad-shared-memory", "name": "gain-too-small", "message": "did not pad 's[8]': no",
    "args": {"array": "s"}, "details": ["line 1: Load of 4 bytes, degree 2, weight 1", "line 2: degree 4"]}
REPORT = {
    "state": "equal", "device": "a GPU", "driver": "1.0", "cpu-device": False,
    "original": {"name": "o", "timing": {"median-us": 200.04}},
    "variants": [{"name": "t", "state": "equal", "timing": {
        "median-us": 50, "ratio": 0.25, "ratio-low": 0.2444, "ratio-high": 0.26, "rounds": 40}}]}


class Fixture(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.program = self.directory / "lanewise"
        self.program.write_text(PROGRAM)
        self.program.chmod(0o755)

    def run_script(self, *arguments, kernel="a", remarks=(APPLIED,), report=None, code=0, unchanged=False, timing=None,
                   passes=PASSES, ending="comp"):
        """(exit code, lines of standard output, standard error) for what lanewise is to say."""
        report = json.loads(json.dumps(REPORT if report is None else report))
        for variant in report["variants"][:1]:
            variant.get("timing", {}).update(timing or {})
        (self.directory / "passes").write_text(passes)
        (self.directory / "remarks.jsonl").write_text("".join(json.dumps(r) + "\n" for r in remarks))
        (self.directory / "report.json").write_text(json.dumps(report))
        (self.directory / "exit").write_text(str(code))
        if unchanged:
            (self.directory / "unchanged").touch()
        done = subprocess.run(
            [sys.executable, SCRIPT, f"--program={self.program}", *arguments, self.directory / f"{kernel}.{ending}"],
            capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines(), done.stderr


class Padding(Fixture):
    def test_row(self):
        code, lines, _ = self.run_script()
        self.assertEqual(code, 0)
        self.assertEqual(lines[2], "| a | `[8]` | `[9]` | 4 -> 1 | 0.250 | 0.250 | 0.244 to 0.260 | 200.0 | 50.0 |")
        self.assertIn("device: a GPU, 1.0", lines)
        self.assertIn("median of 40 interleaved rounds after a warm-up", lines)
        self.assertIn("slower by the whole interval: none", lines)
        self.assertIn("outputs equal: 1 of 1", lines)

    def test_left_alone(self):
        code, lines, _ = self.run_script(remarks=[MISSED], unchanged=True)
        self.assertEqual(code, 0)
        self.assertTrue(lines[2].startswith("| a | `[8]` | left alone: gain-too-small | 4 | 1.000 |"), lines[2])

    def test_too_few_rounds(self):
        _, lines, _ = self.run_script(timing={"ratio-low": 0, "ratio-high": None})
        self.assertIn("| too few rounds |", lines[2])

    def test_slower_is_told(self):
        code, lines, _ = self.run_script(timing={"ratio": 1.2, "ratio-low": 1.1, "ratio-high": 1.3})
        self.assertEqual(code, 0)
        self.assertIn("slower by the whole interval: a", lines)

    def test_different_outputs(self):
        report = {"state": "differs", "reason": "element 7", "original": {}, "variants": [{}]}
        code, lines, _ = self.run_script(report=report, code=2)
        self.assertEqual((code, lines[-1]), (2, "FOUND: a: differs: element 7"))

    def test_unsound_original(self):
        report = {"state": "original-unsound", "reason": "a race", "original": {}, "variants": [{}]}
        code, lines, _ = self.run_script(report=report, code=2)
        self.assertEqual((code, lines[-1]), (2, "FOUND: a: original-unsound: a race"))

    def test_not_run(self):
        report = {"state": "unverified", "reason": "too large", "original": {}, "variants": [{}]}
        code, lines, _ = self.run_script(report=report)
        self.assertEqual(code, 0)
        self.assertIn("| not run |", lines[2])
        self.assertEqual(lines[-1], "not run: a: too large")
        code, lines, _ = self.run_script("--require-all", report=report)
        self.assertEqual((code, lines[-1]), (2, "FOUND: a: unverified: too large"))

    def test_changed_control(self):
        code, lines, _ = self.run_script(kernel="control_a")
        self.assertEqual(code, 2)
        self.assertIn("FOUND: control_a: a control must stay as it is", lines[-1])

    def test_unchanged_control(self):
        code, _, _ = self.run_script(kernel="control_a", remarks=[MISSED], unchanged=True)
        self.assertEqual(code, 0)

    def test_not_one_array(self):
        code, _, errors = self.run_script(remarks=[APPLIED, APPLIED])
        self.assertEqual(code, 1)
        self.assertIn("2 remarks", errors)

    def test_failing_program(self):
        code, _, errors = self.run_script(code=3)
        self.assertEqual(code, 1)
        self.assertIn("exit code 3", errors)

    def test_bad_usage(self):
        code, _, errors = self.run_script("--nonsense")
        self.assertEqual(code, 1)
        self.assertIn("--nonsense", errors)


def variant_report(name, ratio, state="equal", low=None, high=None):
    return {"name": name, "state": state, "timing": {
        "median-us": 100 * ratio, "ratio": ratio, "ratio-low": low or ratio - 0.01, "ratio-high": high or ratio + 0.01,
        "rounds": 40}}


def selection(name, before, after, kind="applied"):
    return {"kind": kind, "pass": "branch-to-predication", "name": name, "message": "",
            "args": {"cost-before": str(before), "cost-after": str(after)}}


def predication_report(*variants, state="equal"):
    return {"state": state, "device": "a GPU", "driver": "1.0", "cpu-device": False,
            "original": {"name": "never", "timing": {"median-us": 100.04}}, "variants": list(variants)}


BLOCKED = {"kind": "missed", "pass": "branch-to-predication", "name": "store", "message": "", "args": {}}
VARIANTS = [variant_report("auto", 0.5), variant_report("always", 0.8), variant_report("if-conversion", 1.1)]


class Predication(Fixture):
    def run_script(self, *arguments, remarks=(selection("flattened", 60, 20),), report=None, **more):
        return super().run_script("--pass=branch-to-predication", *arguments, remarks=remarks,
                                  report=report or predication_report(*VARIANTS), **more)

    def test_row(self):
        code, lines, _ = self.run_script()
        self.assertEqual(code, 0)
        self.assertEqual(lines[2], "| a | 1 flattened | 0.333 | 0.500 | 0.490 to 0.510 | 0.800 | 0.790 to 0.810 | "
                                   "1.100 | 1.090 to 1.110 | 100.0 |")
        self.assertIn("geometric mean over 1 kernels: never 1, auto 0.500, always 0.800, if-conversion 1.100", lines)
        self.assertIn("auto slower than never by the whole interval: none", lines)
        self.assertIn("if-conversion slower than never by the whole interval: a", lines)
        self.assertIn("outputs equal: 1 of 1", lines)

    def test_variants(self):
        """The pass stands where -O has it, =always and the rival in its place, and if-conversion nowhere else."""
        self.run_script()
        calls = (self.directory / "calls").read_text().splitlines()
        flags = [call.split("--ssa-rewrite ")[1] for call in calls if "--ssa-rewrite" in call]
        self.assertEqual(flags, [middle + "--scalar-replacement=100" for middle in (
            "", "--branch-to-predication ", "--branch-to-predication=always ", "--if-conversion ")])
        self.assertIn("--label never --label auto --label always --label if-conversion", calls[-1])

    def test_several_selections(self):
        """What stays as it is costs as much after as before; what has no costs does not count."""
        remarks = [selection("flattened", 60, 20), selection("flattened", 20, 10), BLOCKED,
                   selection("gain-too-small", 20, 40, kind="missed")]
        _, lines, _ = self.run_script(remarks=remarks)
        self.assertTrue(lines[2].startswith(
            "| a | 2 flattened, 1 left alone: store, 1 left alone: gain-too-small | 0.500 |"), lines[2])

    def test_no_costs(self):
        _, lines, _ = self.run_script(remarks=[BLOCKED])
        self.assertTrue(lines[2].startswith("| a | 1 left alone: store | - |"), lines[2])

    def test_different_outputs(self):
        always = variant_report("always", 1, state="differs")
        report = predication_report(VARIANTS[0], always, VARIANTS[2], state="differs")
        code, lines, _ = self.run_script(report=report, code=2)
        self.assertEqual((code, lines[-1]), (2, "FOUND: a: always differs: no reason given"))

    def test_rival_differs(self):
        """What spirv-opt breaks is told, and is no finding on our pass."""
        report = predication_report(*VARIANTS[:2], {"name": "if-conversion", "state": "differs"}, state="differs")
        code, lines, _ = self.run_script(report=report, code=2)
        self.assertEqual(code, 0)
        self.assertIn("a: outputs of if-conversion differ", lines)
        self.assertIn("outputs equal: 0 of 1", lines)

    def test_changed_control(self):
        code, lines, _ = self.run_script(kernel="control_a")
        self.assertEqual((code, lines[-1]), (2, "FOUND: control_a: a control must stay as it is, and was changed"))

    def test_not_run(self):
        report = {"state": "unverified", "reason": "no 64-bit integers", "original": {}, "variants": []}
        code, lines, _ = self.run_script(report=report)
        self.assertEqual((code, lines[-1]), (0, "not run: a: no 64-bit integers"))
        self.assertIn("| not run |", lines[2])

    def test_json(self):
        path = self.directory / "figures.json"
        self.run_script(f"--json={path}")
        kernel, = json.loads(path.read_text())["kernels"]
        self.assertAlmostEqual(kernel["predicted-ratio"], 1 / 3)
        self.assertEqual(kernel["variants"]["always"]["ratio"], 0.8)

    def test_no_such_pass(self):
        code, _, errors = self.run_script(passes="-O is exactly these flags:\n  --ssa-rewrite\n")
        self.assertEqual(code, 1)
        self.assertIn("has no --branch-to-predication in -O", errors)

    def test_no_remark(self):
        code, _, errors = self.run_script(remarks=[])
        self.assertEqual(code, 1)
        self.assertIn("made no remark", errors)


LAID_OUT = {
    "kind": "applied", "pass": "aos-to-soa", "name": "laid-out",
    "message": "laid out 'Cells' as tiles of 32 elements, 2 groups: sectors fetched -64%, requested -88%",
    "args": {"buffer": "Cells", "fetched-before": "200.0", "fetched-after": "50.0", "tile": "32", "groups": "2"}}
KEPT = {
    "kind": "missed", "pass": "aos-to-soa", "name": "not-profitable",
    "message": "'Cells' keeps its layout: it would not pay: sectors fetched +0%, requested +10%",
    "args": {"buffer": "Cells"}}
SCENARIO = """
[sizes.large]
cells = 64
[[shader]]
name = "kernel"
file = "elsewhere.comp"
[[buffer]]
name = "cells"
type = "u32"
count = "cells*11"
[[dispatch]]
shader = "kernel"
groups = [2]
bind = { 0 = "cells" }
"""
AGAIN, TILES, RUNS = (variant_report("never again", 1.001), variant_report("auto", 0.4), variant_report("soa", 0.3))


class Layouts(Fixture):
    def setUp(self):
        super().setUp()
        (self.directory / "scenario.toml").write_text(SCENARIO)
        (self.directory / "a.comp").touch()

    def run_script(self, *arguments, remarks=(LAID_OUT,), report=None, **more):
        return super().run_script("--pass=aos-to-soa", *arguments, remarks=remarks,
                                  report=report or predication_report(AGAIN, TILES, RUNS), **more)

    def variants(self, **more):
        """Those that the scenario has for verify, {name: (text of the module, whether there is a layout)}."""
        self.run_script(f"--keep={self.directory / 'keep'}", **more)
        scenario = tomllib.loads((self.directory / "keep/a.toml").read_text())
        files = {shader["name"]: pathlib.Path(shader["file"]) for shader in scenario["shader"]}
        self.assertEqual(scenario["dispatch"][0]["shader"], "kernel")
        self.assertEqual(files["kernel"].read_text(), "same" if more else "other")
        source = tomllib.loads((self.directory / "keep/a.source.toml").read_text())
        self.assertEqual(source["shader"][0]["file"], str(self.directory / "keep/a.original.spv"))
        return {variant["name"]: (files[variant["dispatch"][0]["shader"]].read_text(), variant["layout"])
                for variant in scenario.get("variant", [])}

    def test_row(self):
        code, lines, _ = self.run_script()
        self.assertEqual(code, 0)
        self.assertEqual(lines[2], "| a | 2 groups in tiles of 32 | 0.250 | 0.12 | 0.400 | 0.390 to 0.410 | "
                                   "0.300 | 0.290 to 0.310 | as auto |  | 100.0 |")
        self.assertIn("auto: geometric mean over 1 kernels with a module of its own: 0.400", lines)
        self.assertIn("auto slower than never by the whole interval: none", lines)
        self.assertIn("never again: 1.001 to 1.001", lines)
        self.assertIn("outputs equal: 1 of 1", lines)

    def test_variants(self):
        """Each module that is another one runs, with the layout that was written beside it."""
        keep = self.directory / "keep"
        self.assertEqual(self.variants(), {"auto": ("tiles", str(keep / "a.auto.program/layout.json")),
                                           "soa": ("runs", str(keep / "a.soa.program/layout.json"))})
        calls = (self.directory / "calls").read_text().splitlines()
        self.assertEqual([call.split(" -O")[1] for call in calls[1:5]],
                         ["", " --aos-to-soa", " --aos-to-soa=soa", " --aos-to-soa=aosoa"])
        self.assertIn(f"--scenario={keep / 'a.toml'} --size=large --shader=kernel --no-interpreter", calls[-1])

    def test_left_alone(self):
        """Tiles are tried by force where auto left the cells alone; auto itself is no variant then."""
        forced = dict(RUNS, name="soa"), variant_report("aosoa", 1.5)
        report = predication_report(AGAIN, *forced)
        code, lines, _ = self.run_script(remarks=[KEPT], report=report, kernel="control_a", unchanged=True)
        self.assertEqual(code, 0)
        self.assertEqual(lines[2], "| control_a | left alone: not-profitable | 1.000 | 1.00 | as never |  | "
                                   "0.300 | 0.290 to 0.310 | 1.500 | 1.490 to 1.510 | 100.0 |")
        self.assertIn("auto slower than never by the whole interval: none", lines)
        self.assertIn("aosoa slower than never by the whole interval: control_a", lines)

    def test_program(self):
        """A kernel of several shaders is a scenario; each variant has all of its shaders anew."""
        second = '[[shader]]\nname = "other"\nfile = "b.comp"\n[[dispatch]]\nshader = "other"\ngroups = [1]\n'
        (self.directory / "two.toml").write_text(SCENARIO + second)
        code, lines, _ = self.run_script(f"--keep={self.directory / 'keep'}", kernel="two", ending="toml")
        self.assertEqual((code, lines[2][:33]), (0, "| two | 2 groups in tiles of 32 |"))
        scenario = tomllib.loads((self.directory / "keep/two.toml").read_text())
        files = {shader["name"]: pathlib.Path(shader["file"]).read_text() for shader in scenario["shader"]}
        self.assertEqual(files, {"kernel": "other", "other": "other", "kernel @ auto": "tiles", "other @ auto": "tiles",
                                 "kernel @ soa": "runs", "other @ soa": "runs"})
        self.assertEqual([dispatch["shader"] for dispatch in scenario["variant"][1]["dispatch"]],
                         ["kernel @ soa", "other @ soa"])

    def test_forced_variants(self):
        found = self.variants(remarks=[KEPT], unchanged=True, report=predication_report(AGAIN, RUNS, TILES))
        self.assertEqual({name: text for name, (text, _) in found.items()}, {"soa": "runs", "aosoa": "tiles"})

    def test_changed_control(self):
        code, lines, _ = self.run_script(kernel="control_a")
        self.assertEqual((code, lines[-1]), (2, "FOUND: control_a: a control must stay as it is, and was changed"))

    def test_different_outputs(self):
        report = predication_report(AGAIN, TILES, variant_report("soa", 1, state="differs"), state="differs")
        code, lines, _ = self.run_script(report=report, code=2)
        self.assertEqual((code, lines[-1]), (2, "FOUND: a: soa differs: no reason given"))

    def test_not_run(self):
        report = {"state": "unverified", "reason": "too large", "original": {}, "variants": []}
        code, lines, _ = self.run_script(report=report)
        self.assertEqual((code, lines[-1]), (0, "not run: a: too large"))
        self.assertIn("| not run |", lines[2])

    def test_not_one_array(self):
        code, _, errors = self.run_script(remarks=[LAID_OUT, KEPT])
        self.assertEqual(code, 1)
        self.assertIn("2 remarks", errors)


if __name__ == "__main__":
    unittest.main()
