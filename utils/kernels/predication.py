"""--branch-to-predication for utils/kernels/run: never, auto and always beside each other and beside spirv-opt.

All variants are the list of -O without spirv-opt's --if-conversion, which would do a part of the work in all of
them; `if-conversion` has that one in the place of our pass.
"""

import collections
import functools
import statistics

from tools import RunError, built, call, compiled, interval, optimize

PASS = "branch-to-predication"
RIVAL = "if-conversion"
RIVALS = (RIVAL,)  # where their outputs differ, the fault is not ours
# Name of a variant: what stands in the place of the pass. The first one is what the others are compared with.
VARIANTS = {"never": [], "auto": [f"--{PASS}"], "always": [f"--{PASS}=always"], RIVAL: [f"--{RIVAL}"]}
MEASURED = [name for name in VARIANTS if name != "never"]
HEADER = ["kernel", "selections", "cycles, predicted ratio"] + \
         [cell for name in MEASURED for cell in (name, "95% interval")] + ["never, us"]


@functools.cache
def standard_flags(program):
    """The flags that -O stands for, as `lanewise passes` lists them."""
    lines = call([program, "passes"]).partition("-O is exactly")[2].partition("\n\n")[0].splitlines()
    flags = [line.split()[0] for line in lines if line.startswith("  --")]
    if f"--{PASS}" not in flags:
        raise RunError(f"{program} has no --{PASS} in -O: build a newer one, or give --program")
    return flags


def pipeline(program, replacement):
    """-O, flag by flag, with something else in the place of the pass."""
    flags = ["--preserve-bindings", "--preserve-spec-constants"]
    for flag in standard_flags(program):
        if flag == f"--{PASS}":
            flags += replacement
        elif flag != f"--{RIVAL}":
            flags.append(flag)
    return flags


def build(arguments, kernel, folder):
    """Modules of all variants, and the remarks of auto."""
    original, modules, remarks = compiled(arguments, kernel, folder), [], {}
    for name, replacement in VARIANTS.items():
        module = folder / f"{kernel.stem}.{name}.spv"
        remarks[name] = optimize(arguments, original, module, pipeline(arguments.program, replacement), PASS)
        modules.append((name, module))
    if not remarks["auto"]:
        raise RunError(f"{kernel}: a kernel has selections, but the pass made no remark")
    return built(kernel, modules, remarks["auto"])


def decisions(remarks):
    """What became of the selections: '3 flattened, 1 left alone: too-costly'."""
    counts = collections.Counter(
        remark["name"] if remark["kind"] == "applied" else f"left alone: {remark['name']}" for remark in remarks)
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def predicted_ratio(remarks):
    """Cycles of all selections whose costs the pass tells, after against before; None where it tells none."""
    before = after = 0
    for remark in remarks:
        args = remark["args"]
        if "cost-before" not in args or "cost-after" not in args or "inside" in args:
            continue  # what went with the selection around it is in the costs of that one
        before += float(args["cost-before"])
        after += float(args["cost-after" if remark["kind"] == "applied" else "cost-before"])
    return after / before if before else None


def row_of(outcome):
    """The cells of one kernel, under HEADER."""
    predicted = predicted_ratio(outcome.remarks)
    cells = [outcome.name, decisions(outcome.remarks), "-" if predicted is None else f"{predicted:.3f}"]
    if outcome.original_us is None:
        return cells + ["not run" if outcome.report["state"] == "unverified" else "-"] + [""] * 6
    for name in MEASURED:
        timing = outcome.timing(name)
        cells += [f"{timing['ratio']:.3f}", interval(timing) or "too few rounds"] if timing else ["-", ""]
    return cells + [f"{outcome.original_us:.1f}"]


def geometric_means(outcomes):
    """({variant: geometric mean of its ratios to never}, how many kernels): of those that have all times."""
    timed = [outcome for outcome in outcomes if all(outcome.timing(name) for name in MEASURED)]
    means = {name: statistics.geometric_mean([outcome.timing(name)["ratio"] for outcome in timed])
             for name in MEASURED} if timed else {}
    return means, len(timed)


def notes_on(outcomes):
    """Sentences that belong below the table."""
    means, count = geometric_means(outcomes)
    if means:
        yield f"geometric mean over {count} kernels: never 1, " + ", ".join(f"{n} {means[n]:.3f}" for n in MEASURED)
    for name in MEASURED if means else []:
        slower = [outcome.name for outcome in outcomes if (outcome.timing(name).get("ratio-low") or 0) > 1]
        yield f"{name} slower than never by the whole interval: {', '.join(slower) or 'none'}"
    for outcome in outcomes:
        if outcome.state(RIVAL) == "differs":
            yield f"{outcome.name}: outputs of {RIVAL} differ"
