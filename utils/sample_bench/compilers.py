"""What drivers' compilers make of the samples: nothing runs, so this needs no GPU."""

import json
import re

import forms
import scenarios
from program import BenchError

BLOCK = re.compile(r"(<!-- compilers, written by utils/bench_samples --compilers --update -->\n).*?(<!-- end of compilers -->)",
                   re.DOTALL)
# The first that a driver tells stands for what a shader costs (docs/stats.md), and what the table calls it.
COSTS = {"inverse_throughput": "inverse throughput", "instructions": "instructions", "code_size": "bytes of code"}
SHOWN = ("original", "spirv-opt", "all")


def measure(program, arguments, bench, folder):
    """The figures of a sample's forms, summed over its shaders: {compiler: {form: {figure: value}}}."""
    made = [form for form in forms.make_all(program, arguments, bench, folder) if form.kind in SHOWN]
    found = {}
    for form in made:
        for shader_name, file in form.files.items():
            shader = scenarios.shader_named(bench.scenario, shader_name)
            constants = [f"--spec-const={key}:{forms.constant(value, bench.parameters)}"
                         for key, value in shader.get("spec_constants", {}).items()]
            report = json.loads(program.call("stats", file, *constants, f"--on={arguments.compilers}", "--format=json"))
            for row in report["inputs"][0]["entry_points"]:
                if "figures" not in row:
                    raise BenchError(f"{bench.name}: {row['compiler']}: {row['problem']}")
                name = row["compiler"] if not row["compiler"].isdigit() else row["device"]
                compiler = found.setdefault(name, {"driver": row["driver"], "forms": {}})
                figures = compiler["forms"].setdefault(form.kind, {})
                for key, value in row["figures"].items():
                    # Registers are those of the shader that has most, all else adds up.
                    both = (figures.get(key, 0), value)
                    figures[key] = max(both) if key.endswith("registers") else sum(both)
    return found


def table(data):
    """Lines of Markdown: a row for each sample, and for each compiler cost and registers as they were, by spirv-opt -O and
    by Lanewise's."""
    compilers = list(dict.fromkeys(name for sample in data.values() for name in sample))
    drivers = dict.fromkeys(compiler["driver"] for sample in data.values() for compiler in sample.values())
    yield f"By {', '.join(drivers)}: original / `spirv-opt -O` / `lanewise opt -O`, summed over a sample's shaders."
    yield ""
    heads = []
    for name in compilers:
        first = next(sample[name] for sample in data.values() if name in sample)
        heads += [f"{name}: {COSTS[_cost_of(first)]}", f"{name}: VGPRs"]
    yield "| sample | " + " | ".join(heads) + " |"
    yield "|---|" + "---|" * len(heads)
    for sample, found in data.items():
        cells = []
        for name in compilers:
            compiler = found.get(name)
            cells += [_cell(compiler, _cost_of(compiler)), _cell(compiler, "vector_registers")] if compiler else ["-", "-"]
        yield f"| {sample} | " + " | ".join(cells) + " |"


def _cost_of(compiler):
    return next(key for key in COSTS if key in compiler["forms"]["original"])


def _cell(compiler, key):
    values = [compiler["forms"].get(kind, {}).get(key) for kind in SHOWN]
    return " / ".join("-" if value is None else f"{value:.0f}" for value in values)


def merged(files):
    """The data of several runs: of a compiler and a sample, the last that has it."""
    data = {}
    for file in files:
        for sample, found in json.loads(file.read_text(encoding="utf-8")).items():
            data.setdefault(sample, {}).update(found)
    return data


def update(path, data):
    """Writes the table between the markers of a document."""
    text = path.read_text(encoding="utf-8")
    if not BLOCK.search(text):
        raise BenchError(f"{path}: nothing is marked `<!-- compilers, written by utils/bench_samples --compilers --update -->`")
    lines = "\n".join(["", *table(data), "", ""])
    path.write_text(BLOCK.sub(lambda match: match.group(1) + lines + match.group(2), text), encoding="utf-8")
