"""--pad-shared-memory for utils/kernels/run: the predicted cost of an array's accesses beside the measured time."""

import re

from tools import RunError, built, compiled, interval, optimize

PASS = "pad-shared-memory"
RIVALS = ()
HEADER = [
    "kernel", "layout", "changed to", "degree", "cycles, predicted ratio", "time, measured ratio", "95% interval",
    "before, us", "after, us"]


def build(arguments, kernel, folder):
    """Modules without the pass, and with it."""
    without, optimized = folder / f"{kernel.stem}.without.spv", folder / f"{kernel.stem}.spv"
    original = compiled(arguments, kernel, folder)
    optimize(arguments, original, without, ["-O", f"--skip={PASS}:*"], PASS)
    remarks = optimize(arguments, original, optimized, ["-O"], PASS)
    if len(remarks) != 1:
        raise RunError(f"{kernel}: a kernel has one Workgroup array, but the pass made {len(remarks)} remarks")
    return built(kernel, [("without", without), ("auto", optimized)], remarks)


def layouts_of(remark):
    """(layout before, layout after or '', degrees) as the remark has them."""
    args = remark["args"]
    if remark["kind"] == "applied":
        return args["extents-before"], args["extents-after"], f"{args['degree-before']} -> {args['degree-after']}"
    layout = re.search(rf"'{re.escape(args['array'])}(.*?)'", remark["message"])
    degrees = [int(n) for row in remark.get("details", []) for n in re.findall(r"degree (\d+)", row)]
    return layout.group(1) if layout else "", "", str(max(degrees)) if degrees else "-"


def predicted_ratio(remarks):
    """Cycles of the array's accesses, arithmetic of maps included, after the pass against before."""
    if remarks[0]["kind"] != "applied":
        return 1.0
    args = remarks[0]["args"]
    return (float(args["cycles-after"]) + float(args["arithmetic-added"])) / float(args["cycles-before"])


def row_of(outcome):
    """The cells of one kernel, under HEADER."""
    remark = outcome.remarks[0]
    before, after, degree = layouts_of(remark)
    cells = [outcome.name, f"`{before}`", f"`{after}`" if after else f"left alone: {remark['name']}", degree,
             f"{predicted_ratio(outcome.remarks):.3f}"]
    timing = outcome.timing("auto")
    if not timing:
        return cells + ["not run" if outcome.report["state"] == "unverified" else "-", "", "", ""]
    return cells + [f"{timing['ratio']:.3f}", interval(timing) or "too few rounds",
                    f"{outcome.original_us:.1f}", f"{timing['median-us']:.1f}"]


def notes_on(outcomes):
    """Sentences that belong below the table."""
    if any(outcome.timing("auto") for outcome in outcomes):
        slower = [outcome.name for outcome in outcomes if (outcome.timing("auto").get("ratio-low") or 0) > 1]
        yield f"slower by the whole interval: {', '.join(slower) or 'none'}"
