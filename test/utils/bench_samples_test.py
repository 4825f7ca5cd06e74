"""utils/bench_samples must run what it says, find what is wrong, and tell figures as lanewise gives them."""

import ast
import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "utils/bench_samples"
sys.path.insert(0, str(ROOT / "utils/sample_bench"))

import document  # noqa: E402
import expressions  # noqa: E402
import measure  # noqa: E402
import page  # noqa: E402
import report  # noqa: E402
import scenarios  # noqa: E402

# Stands for lanewise. A module is the list of the passes that change anything: `--pad` does, `--drop` does not. What
# `verify` is to say of a program stands in report.json, by its name; it is asked for programs that run, no others.
PROGRAM = f"#!{sys.executable} -S\n" '''import sys
# Started some 300 times: what takes long to import only where it is needed.
here = sys.argv[0].rpartition("/")[0]
arguments = sys.argv[2:]
with open(here + "/calls", "a") as calls:
    print(sys.argv[1:], file=calls)
value = lambda name: next((a.split("=", 1)[1] for a in arguments if a.startswith(name + "=")), None)
def write(path, text):
    with open(path, "w") as file:
        file.write(text)
if sys.argv[1:] == ["verify", "--help"]:
    print("  --layout-manifest")
elif sys.argv[1] == "passes":
    print("Passes of Lanewise:\\n  --pad\\n  --aos-to-soa\\n\\n-O=spirv-opt is these:\\n  --fold\\n  --pad    (Lanewise)\\n"
          "  --drop    (Lanewise)\\n  --clean\\n")
elif sys.argv[1] == "opt" and "--compact-ids" in arguments:
    print(open(arguments[0]).read())
elif sys.argv[1] == "opt" and "--aos-to-soa" in arguments:
    folder = arguments[arguments.index("-o") + 1]
    write(folder + "/s.spv", "laid out" if "-O" in arguments else "laid out alone")
    write(folder + "/layout.json", "{}")
elif sys.argv[1] == "opt":
    passes = [a for a in arguments if a in ("--fold", "--pad", "--clean")]
    if "-O" in arguments:
        passes = ["--fold", "--pad", "--clean"]
    write(arguments[arguments.index("-o") + 1], " ".join(passes))
elif sys.argv[1] == "verify":
    import json, tomllib
    wanted = json.load(open(here + "/report.json"))
    scenario = tomllib.load(open(value("--scenario"), "rb"))
    labels = [a.split("=", 1)[1] for a in arguments if a.startswith("--label=")] or ["o", "o again"]
    names = labels[1:] + [v["name"] for v in scenario.get("variant", [])]
    timing = lambda us: {"median-us": us, "ratio": us / 100, "ratio-low": us / 110, "ratio-high": us / 90, "rounds": 40}
    timed = lambda us: {} if "--no-timing" in arguments else {"timing": timing(us)}
    variants = [{"name": n, "state": "equal", "compared": True, **timed(wanted["times"].get(n, 100)),
                 "statistics": {"s": {"Register Count": 17, "Spilled": 0}}} for n in names]
    print(json.dumps({"state": wanted["state"], "reason": wanted["reason"], "device": "a GPU", "driver": "1.0",
                      "cpu-device": False, "original": {"name": labels[0], **timed(100)},
                      "variants": variants if wanted["state"] != "unverified" else []}))
    sys.exit(wanted["exit"])
'''.replace("\\\\n", "\\n")
SCENARIO = '''
[parameters]
count = 10
[sizes.small]
count = 4000000
[[shader]]
name = "s"
file = "s.comp"
defines = { TILE = 16 }
spec_constants = { 0 = "count/2", 1 = true }
[[shader]]
name = "r"
file = "r.comp"
[[buffer]]
name = "b"
type = ["f32x3", "u32"]
count = "count"
init = { kind = "file", path = "in.bin" }
compare = { kind = "ulp", ulps = 4 }
[[dispatch]]
shader = "s"
groups = ["count/64", 1]
bind = { 0 = "b", "1.0" = "b" }
push_constants = [{ type = "f32", value = 0.5 }]
[[variant]]
name = "by hand"
[[variant.dispatch]]
shader = "r"
groups = [1]
bind = { 0 = "b" }
[[variant]]
name = "half as large"
[[variant.dispatch]]
shader = "s"
groups = [2]
bind = { 0 = "b" }
'''
BENCH = '[floor]\nbytes = "count/20+9715"\n[rivals]\n"by hand" = "same"\n"half as large" = "configuration"\n'


class Run(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.sample = self.directory / "heat"
        self.sample.mkdir()
        (self.sample / "scenario.toml").write_text(SCENARIO)
        self.program = self.directory / "lanewise"
        self.program.write_text(PROGRAM)
        self.program.chmod(0o755)

    def run_script(self, *arguments, state="equal", reason="", code=0, times=None, bench=BENCH):
        """(exit code, lines of standard output, standard error) for what lanewise is to say."""
        (self.sample / "bench.toml").write_text(bench)
        (self.directory / "calls").unlink(missing_ok=True)
        (self.directory / "report.json").write_text(
            json.dumps({"state": state, "reason": reason, "exit": code, "times": times or {}}))
        done = subprocess.run(
            [sys.executable, SCRIPT, f"--program={self.program}", "--size=small", f"--keep={self.directory / 'kept'}",
             *arguments, self.sample], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines(), done.stderr

    def calls(self, verb):
        lines = (self.directory / "calls").read_text().splitlines()
        return [call[1:] for call in map(ast.literal_eval, lines) if call[0] == verb]

    def test_rows(self):
        code, lines, errors = self.run_script(times={"spirv-opt -O": 90, "--pad alone": 45, "by hand": 40})
        self.assertEqual((code, errors), (0, ""))
        self.assertIn("| original | 100.0 | - | - | 1.111 | 40% | - | - |", lines)
        self.assertIn("| original again | 100.0 | 1.000 | 0.909 to 1.111 | 1.111 | 40% | 17 | 0 |", lines)
        self.assertIn("| --pad alone | 45.0 | 0.450 | 0.409 to 0.500 | 0.500 | 89% | 17 | 0 |", lines)
        # A pass that changes nothing has spirv-opt's module, and all passes have that of the one that does.
        self.assertIn("| --drop alone | as spirv-opt -O |  |  |  |  |  |  |", lines)
        self.assertIn("| Lanewise -O | as --pad alone |  |  |  |  |  |  |", lines)
        self.assertIn("| floor | 40.0 |  |  |  | 100% |  |  |", lines)
        # Below all tables: 90 us against 45, and 40 by hand against 45.
        self.assertIn("| heat | 2.00 | 89% | 89% |", lines)
        self.assertIn("geometric mean over what Lanewise changes: 2.00", lines)
        self.assertIn("slower than the original by the whole interval: none", lines)

    def test_what_runs(self):
        self.run_script()
        flags = [[a for a in call if a in ("--fold", "--pad", "--drop", "--clean", "-O")] for call in self.calls("opt")
                 if "--compact-ids" not in call and any("heat_s" in a for a in call)]
        self.assertEqual(flags, [[], ["--fold", "--clean"], ["--fold", "--pad", "--clean"], ["--fold", "--drop", "--clean"],
                                 ["-O"], ["-O"], [], ["-O"]])  # the first -O is without coarsening, the last two are for the configuration
        for call in self.calls("opt"):
            if any("s.comp" in a for a in call):
                self.assertIn("-DTILE=16", call)
            elif any("heat_s" in a for a in call) and "--compact-ids" not in call:
                self.assertIn("--spec-const=0:2000000", call)
                self.assertIn("--spec-const=1:true", call)
        scenario = tomllib.loads((self.directory / "kept/heat.toml").read_text())
        names = [variant["name"] for variant in scenario["variant"]]
        self.assertEqual(names, ["spirv-opt -O", "--pad alone", "by hand", "by hand, spirv-opt -O", "half as large",
                                 "half as large, Lanewise -O"])
        alias = scenarios.shader_named(scenario, "s @ --pad alone")
        self.assertEqual(pathlib.Path(alias["file"]).read_text(), "--fold --pad --clean")
        self.assertEqual(alias["spec_constants"], {"0": "count/2", "1": True})
        self.assertNotIn("defines", alias)
        rival = scenarios.shader_named(scenario, "r @ by hand, spirv-opt -O")
        self.assertEqual(pathlib.Path(rival["file"]).read_text(), "--fold --clean")
        self.assertEqual(scenario["dispatch"][0]["shader"], "s")
        self.assertEqual(scenario["variant"][1]["dispatch"][0]["shader"], "s @ --pad alone")

    def test_layout(self):
        code, lines, _ = self.run_script(times={"spirv-opt -O": 90, "Lanewise -O --aos-to-soa": 30}, bench="layout = true\n" + BENCH)
        self.assertEqual(code, 0)
        self.assertIn("| heat | 3.00 | 333% | 133% |", lines)
        scenario = tomllib.loads((self.directory / "kept/heat.toml").read_text())
        variant = next(v for v in scenario["variant"] if v["name"] == "Lanewise -O --aos-to-soa")
        self.assertEqual(pathlib.Path(variant["layout"]).name, "layout.json")
        module = scenarios.shader_named(scenario, variant["dispatch"][0]["shader"])["file"]
        self.assertEqual(pathlib.Path(module).read_text(), "laid out")
        alone = next(call for call in self.calls("opt") if "--aos-to-soa" in call and "-O" not in call)
        self.assertEqual([a for a in alone if a in ("--fold", "--aos-to-soa", "--pad", "--drop", "--clean")],
                         ["--fold", "--aos-to-soa", "--clean"])
        # What the variant dispatches is a program of its own, and decided for itself.
        variant = next(v for v in scenario["variant"] if v["name"] == "half as large, Lanewise -O --aos-to-soa")
        self.assertEqual(variant["dispatch"][0]["groups"], [2])
        self.assertIn("half_as_large", pathlib.Path(variant["layout"]).parent.name)
        own = tomllib.loads((self.directory / "kept/heat_half_as_large__Lanewise__O___aos_to_soa.toml").read_text())
        self.assertEqual(([d["groups"] for d in own["dispatch"]], [s["name"] for s in own["shader"]]), ([[2]], ["s"]))

    def test_slower_is_told(self):
        code, lines, _ = self.run_script(times={"--pad alone": 150})
        self.assertEqual(code, 0)
        self.assertIn("slower than the original by the whole interval: heat, --pad alone", lines)

    def test_difference_is_found(self):
        code, lines, _ = self.run_script(state="differs", reason="element 7", code=2)
        self.assertEqual((code, lines[-1]), (2, "FOUND: heat: differs: element 7"))

    def test_not_run(self):
        code, lines, _ = self.run_script("--no-timing", state="unverified", reason="too large")
        self.assertEqual(code, 0)
        self.assertIn("not run: heat: too large", lines)
        code, lines, _ = self.run_script("--no-timing", "--require-all", state="unverified", reason="too large")
        self.assertEqual((code, lines[-1]), (2, "FOUND: heat: unverified: too large"))

    def test_json_and_page(self):
        figures, plots = self.directory / "f.json", self.directory / "f.html"
        self.run_script(f"--json={figures}", f"--html={plots}", times={"spirv-opt -O": 90, "--pad alone": 45})
        data = json.loads(figures.read_text())
        self.assertEqual(data["samples"][0]["gain"], 2)
        self.assertEqual(data["samples"][0]["programs"][3]["median-us"], 45)
        self.assertEqual(data["rates"]["bytes"], 16 * 1024 * 16 * 2 / 100e-6)
        text = plots.read_text()
        for part in ("<svg", "45.0 us (0.450)", "floor", "spirv-opt -O"):
            self.assertIn(part, text)
        self.assertNotIn("http", text)  # it needs nothing else

    def write_document(self, what="all"):
        path = self.directory / "figures.md"
        path.write_text(f"before\n<!-- figures: {what}, written by utils/bench_samples --update -->\nold\n"
                        "<!-- end of figures -->\nafter\n")
        return path

    def test_compilers(self):
        """Runs of several machines in one table, and in a document."""
        amd, gpu, page = (self.directory / name for name in ("amd.json", "gpu.json", "page.md"))
        forms = {"original": {"inverse_throughput": 10, "vector_registers": 8}, "spirv-opt": {"inverse_throughput": 9},
                 "all": {"inverse_throughput": 12.0, "vector_registers": 16}}
        amd.write_text(json.dumps({"heat": {"navi21": {"driver": "radv 1", "forms": forms}}}))
        code_size = {"original": {"code_size": 512, "vector_registers": 16}}
        gpu.write_text(json.dumps({"heat": {"A GPU": {"driver": "other 2", "forms": code_size}}, "cold": {"A GPU": {
            "driver": "other 2", "forms": code_size}}}))
        page.write_text("before\n<!-- compilers, written by utils/bench_samples --compilers --update -->\nold\n"
                        "<!-- end of compilers -->\nafter\n")
        done = subprocess.run([sys.executable, str(SCRIPT), "--compilers", f"--from={amd}", f"--from={gpu}",
                               f"--update={page}"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = page.read_text().splitlines()
        self.assertEqual((lines[0], lines[-1]), ("before", "after"))
        self.assertNotIn("old", lines)
        self.assertIn("| sample | navi21: inverse throughput | navi21: VGPRs | A GPU: bytes of code | A GPU: VGPRs |", lines)
        self.assertIn("| heat | 10 / 9 / 12 | 8 / - / 16 | 512 / - / - | 16 / - / - |", lines)
        self.assertIn("| cold | - | - | 512 / - / - | 16 / - / - |", lines)
        self.assertTrue(set(lines) > set(done.stdout.splitlines()) - {""})

    def test_update(self):
        notes = '[[note]]\nrows = ["by hand"]\ntext = "It waits."\n[[note]]\nrows = ["floor"]\ntext = "Far."\n'
        path = self.write_document()
        times = {"original again": 99.9, "spirv-opt -O": 90, "--pad alone": 95, "by hand": 150}
        code, _, errors = self.run_script(f"--update={path}", times=times, bench='does = "pads"\n' + BENCH + notes)
        self.assertEqual(code, 0)
        lines = path.read_text().splitlines()
        self.assertEqual((lines[0], lines[-1]), ("before", "after"))
        self.assertNotIn("old", lines)
        self.assertIn("a GPU, driver 1.0; ", lines[3])
        self.assertIn("| sample | what Lanewise does | original | spirv-opt -O | `--pad` | Lanewise | and `--coarsen-invocations` | by hand |", "\n".join(lines))
        self.assertIn("| heat | pads | 100.0 | 90.0 | 95.0 | 95.0 | = | 100.0 | - | 0.95 | 105% | 42% |", lines)
        self.assertIn("**Geometric mean over the 1 that Lanewise changes: 0.95 times as fast as spirv-opt -O; with "
                      "`--coarsen-invocations`: 0.95.**", lines)
        self.assertTrue(any(line.startswith("Not measured: badger, ") for line in lines))
        self.assertIn("#### heat", lines)
        # Rows that lose, with their notes; what a rival is by spirv-opt has the rival's note, and is no loss here.
        self.assertIn("- `by hand` (1.50 times the original's time): It waits.", lines)
        self.assertIn("- The floor (42% of its speed is reached): Far.", lines)
        self.assertIn("- `--pad alone` (1.056 times spirv-opt's): not investigated.", lines)
        self.assertIn("heat/bench.toml: no note on `--pad alone`", errors)
        self.assertNotIn("no note on `by hand`", errors)
        # Again: the same, once.
        before = path.read_text()
        self.run_script(f"--update={self.directory}", times=times, bench='does = "pads"\n' + BENCH + notes)
        self.assertEqual(path.read_text(), before)

    def test_update_of_one_sample(self):
        path = self.write_document("heat")
        self.run_script(f"--update={path}", times={"half as large, Lanewise -O": 40, "--pad alone": 80})
        text = path.read_text()
        self.assertNotIn("# heat", text)  # the document is about nothing else
        self.assertIn("| --pad alone | 80.0 |", text)
        self.assertIn("- Fastest by Lanewise: `half as large, Lanewise -O`, 2.50 times as fast as the original.", text)
        path = self.write_document("cold")
        self.run_script(f"--update={path}")
        self.assertIn("\nold\n", path.read_text())

    def test_from(self):
        first, second, path = self.directory / "1.json", self.directory / "2.json", self.write_document()
        self.run_script(f"--json={first}", times={"--pad alone": 80})
        _, printed, _ = self.run_script(f"--json={second}", times={"--pad alone": 50})
        code, again, _ = self.run_script(f"--from={first}", f"--from={second}", f"--update={path}", "--program=none")
        self.assertEqual((code, again), (0, printed))
        self.assertFalse((self.directory / "calls").exists())
        self.assertIn("| --pad alone | 50.0 |", path.read_text())
        self.assertIn("| --pad alone | 80.0 |", "\n".join(self.run_script(f"--from={second}", f"--from={first}")[1]))
        # What does not belong together is refused, and so is what is no such file.
        for change, message in (({"device": "another"}, "more than one device"), ({"size": "large"}, "more than one size"),
                                ({"version": 2}, "no file that --json wrote")):
            first.write_text(json.dumps({**json.loads(second.read_text()), **change}))
            code, _, errors = self.run_script(f"--from={second}", f"--from={first}")
            self.assertEqual(code, 1)
            self.assertIn(message, errors)
        # A difference that was found then is one now.
        self.run_script(f"--json={first}", state="differs", reason="element 7", code=2)
        code, lines, _ = self.run_script(f"--from={first}")
        self.assertEqual((code, lines[-1]), (2, "FOUND: heat: differs: element 7"))

    def test_update_needs_markers_and_times(self):
        plain = self.directory / "plain.md"
        plain.write_text("nothing\n")
        code, _, errors = self.run_script(f"--update={plain}")
        self.assertEqual(code, 1)
        self.assertIn("nothing is marked", errors)
        self.assertFalse((self.directory / "calls").exists())  # before anything ran
        path = self.write_document()
        code, _, errors = self.run_script(f"--update={path}", "--no-timing")
        self.assertEqual(code, 1)
        self.assertIn("nothing was timed", errors)
        self.assertIn("\nold\n", path.read_text())

    def test_bad_bench(self):
        for bench, message in (
                (BENCH.replace("same", "nice"), "one of the roles"), (BENCH.replace('"by hand" = "same"\n', ""), "each variant"),
                (BENCH.replace("count/20", "size/20"), "no parameter `size`"), ("speed = 1\n" + BENCH, "unknown keys: speed"),
                (BENCH + '[[note]]\nrows = "by hand"\ntext = ""\n', "a [[note]] has")):
            code, _, errors = self.run_script(bench=bench)
            self.assertEqual(code, 1)
            self.assertIn(message, errors)

    def test_bad_usage(self):
        code, _, errors = self.run_script("--nonsense")
        self.assertEqual(code, 1)
        self.assertIn("--nonsense", errors)
        code, _, errors = self.run_script("nowhere")
        self.assertEqual(code, 1)
        self.assertIn("no sample `nowhere`", errors)
        code, _, errors = self.run_script(state="equal", code=3)
        self.assertEqual(code, 1)
        self.assertIn("exit code 3", errors)


def has_queues(path):
    """What overlaps on queues is not the time of a kernel: `lanewise verify` measures it (docs/queues.md)."""
    return path.exists() and "queue" in tomllib.loads(path.read_text())


class Parts(unittest.TestCase):
    def test_expressions(self):
        for text, value in (("7", 7), (7, 7), ("0x10+2*n", 26), ("(n+3)/4*4", 8), ("-7/2", -3), ("-7%2", -1), ("n-2-1", 2),
                            ("2*-n", -10)):
            self.assertEqual(expressions.evaluate(text, {"n": 5}), value, text)
        for text in ("", "n+", "m", "(n", "n)", "n/0", "n n"):
            with self.assertRaises(ValueError, msg=text):
                expressions.evaluate(text, {"n": 5})

    def test_scenarios_survive_writing(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for path in [folder / "own.toml", *sorted((ROOT / "samples").glob("*/scenario*.toml"))]:
                if path.parent == folder:
                    path.write_text('repeat = "n"\n' + SCENARIO)
                if has_queues(path):
                    continue
                scenario = scenarios.load(path)
                scenarios.write(scenario, folder / "again.toml")
                self.assertEqual(tomllib.loads((folder / "again.toml").read_text()), scenario, path)

    def test_every_sample_has_a_bench(self):
        for path in sorted((ROOT / "samples").glob("*/scenario.toml")):
            if has_queues(path):
                continue
            self.assertTrue((path.parent / "bench.toml").exists(), path)

    def test_shortfalls(self):
        def row(name, kind, median, ratio=None, low=None, high=None, same_as=""):
            return measure.Row(name, kind, "equal", same_as, median, ratio, low, high)

        rows = [row("original", "original", 100), row("again", "control", 100, 1.0, 0.999, 1.002),
                row("spirv-opt -O", "spirv-opt", 100, 1.0, 0.999, 1.001)]
        outcome = measure.Outcome("heat", rows, {"state": "equal"}, {}, 95)

        def facts(*more):
            outcome.rows = rows + list(more)
            return {shortfall.row: shortfall.facts for shortfall in document.shortfalls(outcome)}

        # Slower than the original, and than the original run again.
        self.assertEqual(facts(row("--pad alone", "pass", 100.3, 1.003, 1.0025, 1.004)),
                         {"--pad alone": ["1.003 times the original's time"]})
        self.assertEqual(facts(row("--pad alone", "pass", 100.2, 1.002, 1.001, 1.003)), {})
        # A copy is no rival, and the original no loser.
        self.assertEqual(facts(row("copy", "bound", 200, 2.0, 1.9, 2.1)), {})
        # Everything on loses to a pass and to a rival, a pass alone does not.
        self.assertEqual(
            facts(row("--pad alone", "pass", 80, 0.8, 0.79, 0.81), row("Lanewise -O", "all", 90, 0.9, 0.89, 0.91),
                  row("by hand", "rival", 60, 0.6, 0.59, 0.61)),
            {"Lanewise -O": ["1.12 times that of `--pad alone`", "1.50 times that of `by hand`"]})
        outcome.floor_us = 80
        self.assertEqual(facts(row("Lanewise -O", "all", None, same_as="spirv-opt -O")),
                         {"floor": ["80% of its speed is reached"]})

    def test_gain_of_coarsening(self):
        def outcome(name, coarsened, same_as=""):
            return measure.Outcome(name, [
                measure.Row("spirv-opt -O", "spirv-opt", "equal", "", 100), measure.Row("--pad alone", "pass", "equal", "", 50),
                measure.Row("Lanewise -O", "all", "equal", "--pad alone"),
                measure.Row("Lanewise -O --coarsen-invocations", "coarsened", "equal", same_as, coarsened)], {}, {})

        both = [outcome("product", 12.5), outcome("scan", None, "--pad alone")]
        self.assertAlmostEqual(report.mean_gain(both), 2)
        self.assertAlmostEqual(report.mean_gain(both, measure.Outcome.coarsened), 4)

    def test_notes_of_samples(self):
        """Notes name rows that a run of the sample has."""
        for path in sorted((ROOT / "samples").glob("*/bench*.toml")):
            bench = measure.Bench(path, "large")
            self.assertTrue(bench.does, path)
            own = [f"--{pass_} alone" for pass_ in ("pad-shared-memory", "eliminate-redundant-barriers", "branch-to-predication",
                                                    "aos-to-soa")]
            names = {"floor", "spirv-opt -O", "Lanewise -O", "Lanewise -O --aos-to-soa", *own, *bench.rivals,
                     *(f"{rival}, spirv-opt -O" for rival in bench.rivals)}
            for note in bench.notes:
                self.assertLessEqual(set(note["rows"]), names, path)

    def test_page_escapes(self):
        data = {"device": "<GPU>", "driver": "", "date": "", "size": "", "target": "", "rates": {}, "geometric-mean": None,
                "cpu-device": True, "samples": [{"name": "a<b", "state": "unverified", "reason": "1 < 2"}]}
        text = page.render(data)
        self.assertNotIn("<GPU>", text)
        self.assertIn("1 &lt; 2", text)

    def test_geometric_mean(self):
        self.assertAlmostEqual(report.geometric_mean([1, 4]), 2)
        self.assertIsNone(report.geometric_mean([]))


if __name__ == "__main__":
    unittest.main()
