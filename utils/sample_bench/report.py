"""What was measured, as text and as data."""

import datetime
import json
import math

HEADER = ["program", "median, us", "ratio to original", "95% interval", "to spirv-opt -O", "of floor", "registers", "spills"]


def heading(rates, arguments):
    """Lines that stand before all tables."""
    if not rates:
        yield f"size {arguments.size}; not timed"
        return
    yield f"device: {rates['device']}, {rates['driver']}; {datetime.date.today().isoformat()}; size {arguments.size}"
    known = {"bytes": "a copy moves {:.3g} GB/s, read and written", "operations": "{:.3g} thousand million multiply-adds/s"}
    yield "; ".join(known[key].format(rates[key] / 1e9) for key in known if key in rates) or "rates: not timed"
    if rates.get("is_cpu"):
        yield "a CPU device has no banks: its times say nothing"


def table(outcome):
    """A Markdown table of one sample."""
    yield f"## {outcome.name}"
    yield ""
    if outcome.report["state"] == "unverified":
        yield f"not run: {outcome.report.get('reason', 'no reason given')}"
        return
    yield _line(HEADER)
    yield "|" + "---|" * len(HEADER)
    for row in outcome.rows:
        yield _line(_cells(outcome, row))
    if outcome.floor_us is not None:
        yield _line(["floor", f"{outcome.floor_us:.1f}", "", "", "", "100%", "", ""])


def _line(cells):
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


def gain(outcome):
    """How many times as fast as spirv-opt -O everything on is; None where that was not timed."""
    best, reference = outcome.best(), outcome.row("spirv-opt")
    return reference.median / best.median if best and best.median and reference and reference.median else None


def of_rival(outcome):
    """Speed as a fraction of the fastest rival of the same algorithm, or None."""
    best, rival = outcome.best(), outcome.rival()
    return rival.median / best.median if best and best.median and rival else None


def is_changed(outcome):
    """Whether any pass of Lanewise's changed anything."""
    return any(row.kind in ("all", "layout") and row.same_as != "spirv-opt -O" for row in outcome.rows)


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


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
    yield _line(["sample", "Lanewise, times as fast as spirv-opt -O", "of the rival by hand", "of floor"])
    yield "|---|---|---|---|"
    for outcome in outcomes:
        best, rival = outcome.best(), of_rival(outcome)
        if gain(outcome):
            yield _line([outcome.name, f"{gain(outcome):.2f}" if outcome in changed else "unchanged",
                         f"{100 * rival:.0f}%" if rival else "-",
                         f"{100 * outcome.floor_us / best.median:.0f}%" if outcome.floor_us else "-"])
    gains = [gain(outcome) for outcome in changed if gain(outcome)]
    if gains:
        yield f"\ngeometric mean over what Lanewise changes: {geometric_mean(gains):.2f}"
    own = ("pass", "all", "layout")
    slower = [f"{o.name}, {row.name}" for o in outcomes for row in o.rows if row.kind in own and row.is_slower]
    yield f"slower than the original by the whole interval: {'; '.join(slower) or 'none'}"


def as_data(outcomes, rates, arguments):
    """Everything, for JSON and the page."""
    return {
        "version": 1,
        "date": datetime.date.today().isoformat(),
        "device": rates.get("device", ""),
        "driver": rates.get("driver", ""),
        "cpu-device": bool(rates.get("is_cpu")),
        "size": arguments.size,
        "target": arguments.target,
        "rates": {key: rates[key] for key in ("bytes", "operations") if key in rates},
        "geometric-mean": geometric_mean([gain(o) for o in outcomes if is_changed(o) and gain(o)]),
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


def to_json(data):
    return json.dumps(data, indent=2) + "\n"
