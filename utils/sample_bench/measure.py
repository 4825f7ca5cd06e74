"""Measures one sample: makes its forms, runs them and its rivals in one interleaved run, sorts what comes back."""

import copy
import dataclasses
import pathlib
import tomllib

import forms
import scenarios
from expressions import evaluate
from program import LAYOUT_PASS, BenchError

ROLES = {
    "same": "rival",  # the same algorithm, by hand
    "expert": "expert",  # a better algorithm
    "bound": "bound",  # only moves the bytes
    "language": "other",  # the same in another language
    "configuration": "other",  # the same with other constants
    "host": "other",  # the same shaders, run otherwise by the host
}
# What else is done to the shaders of a variant: a rival may gain by spirv-opt, too, and what Lanewise makes of other
# constants is of interest, also with layouts where the sample has them.
FINISHES = {"same": ["spirv-opt -O"], "expert": ["spirv-opt -O"],
            "configuration": ["Lanewise -O", f"Lanewise -O {LAYOUT_PASS}"]}


@dataclasses.dataclass
class Row:
    name: str
    kind: str  # original, control, spirv-opt, pass, all, layout, rival, expert, bound, other
    state: str = "not run"
    same_as: str = ""
    median: float = None  # microseconds
    ratio: float = None  # to the original
    low: float = None
    high: float = None
    statistics: dict = dataclasses.field(default_factory=dict)

    @property
    def is_slower(self):
        return self.low is not None and self.low > 1


class Bench:
    """What samples/NAME/bench*.toml says."""

    def __init__(self, path, size):
        self.path = path
        about = tomllib.loads(path.read_text(encoding="utf-8"))
        unknown = set(about) - {"name", "scenario", "does", "floor", "rivals", "layout", "note"}
        if unknown:
            raise BenchError(f"{path}: unknown keys: {', '.join(sorted(unknown))}")
        self.name = about.get("name", path.parent.name)
        self.scenario_path = path.parent / about.get("scenario", "scenario.toml")
        self.scenario = scenarios.load(self.scenario_path)
        try:
            self.parameters = scenarios.parameters(self.scenario, size)
            self.floor = {key: evaluate(text, self.parameters) for key, text in about.get("floor", {}).items()}
        except ValueError as error:
            raise BenchError(f"{path}: {error}") from error
        self.rivals = about.get("rivals", {})
        self.wants_layout = about.get("layout", False)
        self.does = about.get("does", "")
        self.notes = about.get("note", [])
        if not all(set(note) == {"rows", "text"} and isinstance(note["rows"], list) for note in self.notes):
            raise BenchError(f"{path}: a [[note]] has `rows`, a list of names, and `text`")
        names = {variant["name"] for variant in self.scenario.get("variant", [])}
        if set(self.rivals) != names or not set(self.rivals.values()) <= set(ROLES):
            raise BenchError(f"{path}: [rivals] must give each variant of {self.scenario_path.name} one of the roles "
                             f"{', '.join(ROLES)}")
        if not set(self.floor) <= {"bytes", "operations"}:
            raise BenchError(f"{path}: [floor] has `bytes` and `operations`")


@dataclasses.dataclass
class Outcome:
    """What was measured of one sample."""
    name: str
    rows: list
    report: dict  # of verify
    floor: dict  # bytes, operations
    floor_us: float = None

    @property
    def is_timed(self):
        return any(row.median for row in self.rows)

    def row(self, kind):
        """The first row of a kind, or that which stands for it; None without one."""
        found = next((row for row in self.rows if row.kind == kind), None)
        if found and found.same_as:
            return next((row for row in self.rows if row.name == found.same_as), None)
        return found

    def fastest(self, kind, but=None):
        """The fastest row of a kind that was timed, but for the one of a name; or None."""
        timed = (row for row in self.rows if row.kind == kind and row.median and row.name != but)
        return min(timed, key=lambda row: row.median, default=None)

    def best(self):
        """Lanewise with everything on."""
        return self.row("layout") or self.row("all")

    def coarsened(self):
        """That with --coarsen-invocations as well, where it does something."""
        found = next((row for row in self.rows if row.kind == "coarsened" and not row.same_as), None)
        return found or self.best()


def measure(program, arguments, path, folder, rates):
    bench = Bench(path, arguments.size)
    made = forms.make_all(program, arguments, bench, folder)
    scenario = copy.deepcopy(bench.scenario)
    rivals = scenario.pop("variant", [])
    for form in made[1:]:
        if not form.same_as:
            scenarios.add_program(scenario, form.name, scenario["dispatch"], form.files, form.manifest)
    for rival in rivals:
        _add_rival(program, arguments, bench, folder, scenario, rival)
    path = folder / f"{forms.slug(bench.name)}.toml"
    scenarios.write(scenario, path)

    shader, module = next(iter(made[0].files.items()))
    timing = ["--no-timing"] if arguments.no_timing else [f"--repeats={arguments.repeats}"]
    report = program.verify(module, module, "--label=original", "--label=original again", f"--shader={shader}",
                            f"--scenario={path}", f"--size={arguments.size}", *timing)
    return Outcome(bench.name, list(_rows(bench, made, report)), report, bench.floor, _floor(bench.floor, rates))


def _add_rival(program, arguments, bench, folder, scenario, rival):
    """Adds a variant as it is, and finished."""
    scenario.setdefault("variant", []).append(rival)
    role = bench.rivals[rival["name"]]
    for finish in FINISHES.get(role, []):
        if finish.endswith(LAYOUT_PASS) and not (bench.wants_layout and program.lays_out_buffers()):
            continue
        name = f"{rival['name']}, {finish}"
        bench.rivals[name] = role
        form = forms.make_finished(program, arguments, bench, folder, name, rival["dispatch"], finish)
        scenarios.add_program(scenario, name, rival["dispatch"], form.files, form.manifest or rival.get("layout"))
        scenario["variant"][-1]["compare"] = rival.get("compare", True)


def _rows(bench, made, report):
    """Original and its control, the forms in their order, then what the scenario and the bench have beside them."""
    original = report["original"]
    yield Row("original", "original", "equal", median=original.get("timing", {}).get("median-us"),
              statistics=original.get("statistics", {}))
    by_name = {variant["name"]: variant for variant in report["variants"]}
    control = "original again"
    if control in by_name:
        yield _row_of(by_name.pop(control), "control")
    for form in made[1:]:
        if form.same_as:
            yield Row(form.name, form.kind, "equal", form.same_as)
        elif form.name in by_name:
            yield _row_of(by_name.pop(form.name), form.kind)
    for name, variant in by_name.items():
        yield _row_of(variant, ROLES.get(bench.rivals.get(name), "other"))


def _row_of(variant, kind):
    timing = variant.get("timing", {})
    return Row(variant["name"], kind, variant["state"], "", timing.get("median-us"), timing.get("ratio"),
               timing.get("ratio-low"), timing.get("ratio-high"), variant.get("statistics", {}))


def _floor(floor, rates):
    """Microseconds that bytes and operations take at the measured rates, whichever is more."""
    times = [1e6 * amount / rates[key] for key, amount in floor.items() if rates.get(key)]
    return max(times, default=None)


def rates_of(program, arguments, folder):
    """{"bytes": a second, "operations": a second, "device": ..., "driver": ...} as the device does them."""
    here = pathlib.Path(__file__).parent
    rates = {}
    for key, name, count in (("bytes", "copy", "rows*1024*16*2"), ("operations", "fma", "groups*256*rounds*16")):
        scenario = scenarios.load(here / f"{name}.toml")
        size = arguments.size if arguments.size in scenario["sizes"] else "large"  # a size of a sample's own
        module = folder / f"{name}.spv"
        program.call("opt", here / f"{name}.comp", "-o", module)
        report = program.verify(module, module, f"--scenario={here / f'{name}.toml'}", f"--size={size}",
                                f"--repeats={arguments.repeats}")
        rates.update(device=report.get("device", ""), driver=report.get("driver", ""), is_cpu=report.get("cpu-device"))
        median = report["original"].get("timing", {}).get("median-us")
        if median:
            rates[key] = 1e6 * evaluate(count, scenarios.parameters(scenario, size)) / median
    return rates
