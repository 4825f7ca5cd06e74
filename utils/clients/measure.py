"""Runs a command under the layer in several ways, and puts together what each kernel takes."""
import dataclasses
import json
import pathlib
import statistics
import subprocess
import tempfile

# Of spirv-opt's -O with Lanewise's passes in their places, without these.
SPIRV_OPT = "-O=spirv-opt " + " ".join(f"--skip={p}:*" for p in (
    "pad-shared-memory", "eliminate-redundant-barriers", "branch-to-predication", "coarsen-invocations",
    "eliminate-redundant-checks", "eliminate-dead-shared-initialization"))
WAYS = {"original": None, "spirv-opt -O": SPIRV_OPT, "lanewise -O": "-O"}


@dataclasses.dataclass
class Kernel:
    """Pipelines of one module with the same constants, in one case."""
    label: str
    times: dict  # by way: of each run, microseconds of all its dispatches
    is_replaced: dict = dataclasses.field(default_factory=dict)

    def median(self, way):
        times = self.times.get(way, [])
        return statistics.median(times) if times else None


@dataclasses.dataclass
class Outcome:
    name: str
    kernels: dict
    is_equal: dict  # by way
    failure: str = ""

    def total(self, way):
        """Of the kernels that every way has a time of."""
        whole = [k for k in self.kernels.values() if all(k.median(w) for w in self.times_of())]
        return sum(k.median(way) for k in whole)

    def times_of(self):
        return list(self.is_equal)

    def replaced(self, way):
        return sum(1 for k in self.kernels.values() if k.is_replaced.get(way)), len(self.kernels)


def known_passes(lanewise):
    return subprocess.run([str(lanewise), "passes"], capture_output=True, text=True).stdout


def ways_of(lanewise):
    """A program knows fewer passes, or more."""
    known = known_passes(lanewise)
    flags = [f for f in SPIRV_OPT.split() if not f.startswith("--skip=") or f"--{f[7:].split(':')[0]}" in known]
    return {**WAYS, "spirv-opt -O": " ".join(flags)}


def run_once(lanewise, passes, command, cache, timeout):
    """(what it printed, the report) or a string that says what went wrong."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        options = [] if passes is None else [f"--optimize={passes}", "--wait", f"--cache={cache}"]
        try:
            done = subprocess.run([str(w) for w in (lanewise, "run", "--time", f"--json={report}", "-o", "/dev/null", *options,
                                                    "--", *command)], capture_output=True, text=True, timeout=timeout)
        except subprocess.TimeoutExpired:
            return f"takes longer than {timeout} s"
        if done.returncode != 0:
            return f"exit code {done.returncode}: {(done.stderr.strip().splitlines() or [''])[-1]}"
        return done.stdout, json.loads(report.read_text())


def measure(lanewise, name, command, cache, repeats, timeout):
    """Every way in turn, `repeats` times; the first run of each only fills the cache."""
    outcome = Outcome(name, {}, {})
    try:
        plain, again = (subprocess.run([str(w) for w in command], capture_output=True, text=True, timeout=timeout) for _ in "12")
    except (OSError, subprocess.TimeoutExpired) as why:
        return dataclasses.replace(outcome, failure=str(why))
    if plain.returncode != 0:
        last = (plain.stderr.strip().splitlines() or [""])[-1]
        return dataclasses.replace(outcome, failure=f"exit code {plain.returncode} without the layer: {last}")
    if plain.stdout != again.stdout:
        return dataclasses.replace(outcome, failure="differs from itself without the layer: nothing can be said")
    ways = ways_of(lanewise)
    for turn in range(repeats + 1):
        for way, passes in ways.items():
            done = run_once(lanewise, passes, command, cache, timeout)
            if isinstance(done, str):
                return dataclasses.replace(outcome, failure=f"{way}: {done}")
            printed, report = done
            outcome.is_equal[way] = outcome.is_equal.get(way, True) and printed == plain.stdout
            if turn > 0:
                add(outcome, way, report)
    return outcome


def add(outcome, way, report):
    for pipeline in report["pipelines"]:
        key = (pipeline["module"], pipeline["entry"], json.dumps(pipeline.get("constants")), pipeline.get("name", ""))
        kernel = outcome.kernels.setdefault(key, Kernel(f"{pipeline.get('name') or pipeline['entry']} {pipeline['module'][:12]}", {}))
        kernel.is_replaced[way] = pipeline.get("optimized", 0) == pipeline["created"] > 0
        if pipeline["dispatches"] > 0 and pipeline.get("total-us", 0) > 0:
            kernel.times.setdefault(way, []).append(pipeline["total-us"])
