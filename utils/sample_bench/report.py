"""What was measured, as text and as data."""

import datetime
import json
import math

from measure import Outcome, Row
from program import BenchError

VERSION = 1  # of the JSON
HEADER = ["program", "median, us", "ratio to original", "95% interval", "to spirv-opt -O", "of floor", "registers", "spills"]


def heading(data):
    """Lines that stand before all tables."""
    rates = data["rates"]
    if not rates:
        yield f"size {data['size']}; not timed"
        return
    yield f"device: {data['device']}, {data['driver']}; {data['date']}; size {data['size']}"
    known = {"bytes": "a copy moves {:.3g} TB/s, read and written",
             "operations": "multiply-adds: {:.3g} million million/s"}
    yield "; ".join(known[key].format(rates[key] / 1e12) for key in known if key in rates)
    if data["cpu-device"]:
        yield "a CPU device has no banks: its times say nothing"


def table(outcome, level=2):
    """A Markdown table of one sample, below a heading of a level if there is one."""
    if level:
        yield f"{'#' * level} {outcome.name}"
        yield ""
    if outcome.report["state"] == "unverified":
        yield f"not run: {outcome.report.get('reason', 'no reason given')}"
        return
    yield line(HEADER)
    yield "|" + "---|" * len(HEADER)
    for row in outcome.rows:
        yield line(_cells(outcome, row))
    if outcome.floor_us is not None:
        yield line(["floor", f"{outcome.floor_us:.1f}", "", "", "", "100%", "", ""])


def line(cells):
    """A line of a Markdown table."""
    return "| " + " | ".join(cells) + " |"


def _cells(outcome, row):
    if row.same_as:
        return [row.name, f"as {row.same_as}"] + [""] * 6
    if row.state != "equal":
        return [row.name, row.state] + [""] * 6
    cells = [row.name] + ["-"] * 5
    if row.median is not None:
        cells[1] = f"{row.median:.1f}"
        if row.ratio is not None:
            cells[2] = f"{row.ratio:.3f}"
            cells[3] = "too few rounds" if row.high is None else f"{row.low:.3f} to {row.high:.3f}"
        reference = outcome.row("spirv-opt")
        if reference and reference.median:
            cells[4] = f"{row.median / reference.median:.3f}"
        if outcome.floor_us is not None:
            cells[5] = f"{100 * outcome.floor_us / row.median:.0f}%"
    return cells + [statistic(row, "register"), statistic(row, "spill")]


def statistic(row, word):
    """What the driver says of a row's shaders, in their order: "32" or "16/32/24"; "-" where it says nothing."""
    values = [value for statistics in row.statistics.values() for name, value in statistics.items() if word in name.lower()]
    return "/".join(map(str, values)) or "-"


def gain(outcome, row_of=Outcome.best):
    """How many times as fast as spirv-opt -O everything on is; None where that was not timed."""
    best, reference = row_of(outcome), outcome.row("spirv-opt")
    return reference.median / best.median if best and best.median and reference and reference.median else None


def of_rival(outcome):
    """Speed as a fraction of the fastest rival of the same algorithm, or None."""
    best, rival = outcome.best(), outcome.fastest("rival")
    return rival.median / best.median if best and best.median and rival else None


def is_changed(outcome):
    """Whether any of Lanewise's passes changed anything. The rest of its -O differs from spirv-opt's anyway."""
    return any(row.kind == "pass" and row.same_as != "spirv-opt -O" for row in outcome.rows)


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def mean_gain(outcomes, row_of=Outcome.best):
    """Geometric mean of the gains over what Lanewise changes, or None."""
    gains = [gain(outcome, row_of) for outcome in outcomes if is_changed(outcome)]
    return geometric_mean([each for each in gains if each])


def summary(outcomes):
    """Lines below all tables."""
    compared = sum(outcome.report["state"] == "equal" for outcome in outcomes)
    yield f"outputs equal: {compared} of {len(outcomes)}"
    changed = [outcome for outcome in outcomes if is_changed(outcome) and outcome.report["state"] == "equal"]
    yield f"changed by Lanewise: {', '.join(outcome.name for outcome in changed) or 'none'}"
    for outcome in outcomes:
        if outcome.report["state"] == "unverified":
            yield f"not run: {outcome.name}: {outcome.report.get('reason', 'no reason given')}"
    if not any(gain(outcome) for outcome in outcomes):
        return
    yield ""
    yield line(["sample", "Lanewise, times as fast as spirv-opt -O", "of the rival by hand", "of floor"])
    yield "|---|---|---|---|"
    for outcome in outcomes:
        best, rival = outcome.best(), of_rival(outcome)
        if gain(outcome):
            yield line([outcome.name, f"{gain(outcome):.2f}" if outcome in changed else "unchanged",
                         f"{100 * rival:.0f}%" if rival else "-",
                         f"{100 * outcome.floor_us / best.median:.0f}%" if outcome.floor_us else "-"])
    if mean_gain(changed):
        yield f"\ngeometric mean over what Lanewise changes: {mean_gain(changed):.2f}"
    own = ("pass", "all", "layout", "coarsened")
    slower = [f"{o.name}, {row.name}" for o in outcomes for row in o.rows if row.kind in own and row.is_slower]
    yield f"slower than the original by the whole interval: {'; '.join(slower) or 'none'}"


def findings(outcome, require_all):
    """What is wrong with a sample, as sentences."""
    state = outcome.report["state"]
    if state != "equal" and (state != "unverified" or require_all):
        yield f"{outcome.name}: {state}: {outcome.report.get('reason') or 'no reason given'}"


def as_data(outcomes, rates, arguments):
    """Everything, for JSON, the page and documents."""
    return {
        "version": VERSION,
        "date": datetime.date.today().isoformat(),
        "device": rates.get("device", ""),
        "driver": rates.get("driver", ""),
        "cpu-device": bool(rates.get("is_cpu")),
        "size": arguments.size,
        "target": arguments.target,
        "rates": {key: rates[key] for key in ("bytes", "operations") if key in rates},
        "geometric-mean": mean_gain(outcomes),
        "samples": [{
            "name": outcome.name,
            "state": outcome.report["state"],
            "reason": outcome.report.get("reason", ""),
            "changed": is_changed(outcome),
            "gain": gain(outcome),
            "of-rival": of_rival(outcome),
            "floor": {**outcome.floor, "us": outcome.floor_us},
            "programs": [{
                "name": row.name, "kind": row.kind, "state": row.state, "same-as": row.same_as, "median-us": row.median,
                "ratio": row.ratio, "ratio-low": row.low, "ratio-high": row.high, "statistics": row.statistics}
                for row in outcome.rows],
        } for outcome in outcomes],
    }


def outcomes_of(data):
    """The outcomes that as_data was given."""
    return [Outcome(
        sample["name"],
        [Row(row["name"], row["kind"], row["state"], row["same-as"], row["median-us"], row["ratio"], row["ratio-low"],
             row["ratio-high"], row["statistics"]) for row in sample["programs"]],
        {"state": sample["state"], "reason": sample["reason"]},
        {key: value for key, value in sample["floor"].items() if key != "us"}, sample["floor"]["us"])
        for sample in data["samples"]]


def read(paths, names):
    """The data of some files that --json wrote as those of one run: the samples of these names in this order, each from
    the last file that has it. Rates are means. BenchError where the runs do not belong in one table."""
    runs = []
    for path in paths:
        run = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(run, dict) or run.get("version") != VERSION or "samples" not in run:
            raise BenchError(f"{path}: no file that --json wrote")
        runs.append(run)
    for key in ("device", "driver", "size", "target"):
        values = sorted({run[key] for run in runs})
        if len(values) > 1:
            raise BenchError(f"runs of more than one {key} do not belong in one table: {', '.join(values)}")
    samples = {sample["name"]: sample for run in runs for sample in run["samples"]}
    dates = sorted({run["date"] for run in runs})
    rates = {key: [run["rates"][key] for run in runs if key in run["rates"]] for key in ("bytes", "operations")}
    data = {**runs[-1], "date": dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}",
            "rates": {key: sum(values) / len(values) for key, values in rates.items() if values},
            "samples": [samples[name] for name in names if name in samples]}
    return {**data, "geometric-mean": mean_gain(outcomes_of(data))}


def to_json(data):
    return json.dumps(data, indent=2) + "\n"
