"""The figures in documents: what stands between two markers of a Markdown file is written from the data of runs."""

import dataclasses
import re

import report
from measure import Outcome
from program import COARSENING_PASS, LAYOUT_PASS, BenchError

# The words between the markers' colons: `all`, or a folder of samples/.
BLOCK = re.compile(r"(<!-- figures: (\S+), written by utils/bench_samples --update -->\n).*?(<!-- end of figures -->)", re.DOTALL)
NEAR_FLOOR = 0.9  # of the floor's speed: whoever is slower has missed it
NEAR_ROW = 1.01  # of another row's time: whoever is slower has lost to it


@dataclasses.dataclass
class Shortfall:
    """A row that loses, or "floor"."""
    row: str
    facts: list  # against what, and by how much


def files_of(paths):
    """The files with markers among some files and those in some folders. BenchError for a file without any."""
    found = []
    for path in paths:
        candidates = sorted(path.rglob("*.md")) if path.is_dir() else [path]
        marked = [file for file in candidates if BLOCK.search(file.read_text(encoding="utf-8"))]
        if not marked:
            raise BenchError(f"{path}: nothing is marked `<!-- figures: WHAT, written by utils/bench_samples --update -->`")
        found += marked
    return found


def update(path, data, benches):
    """Writes the figures of `data` between the markers of a document; blocks of samples that were not measured stay."""
    outcomes = {outcome.name: outcome for outcome in report.outcomes_of(data) if outcome.is_timed}
    if not outcomes:
        raise BenchError("nothing was timed, so there are no figures for a document")

    def replace(match):
        begin, what, end = match.groups()
        chosen = [bench for bench in benches if what in ("all", bench.path.parent.name)]
        measured = [bench for bench in chosen if bench.name in outcomes]
        if not measured:
            return match.group()
        pairs = [(bench, outcomes[bench.name]) for bench in measured]
        lines = [_facts(data), ""]
        if what == "all":
            lines += _overview(pairs, [bench.name for bench in chosen if bench not in measured])
        for bench, outcome in pairs:
            level = 4 if what == "all" else 3 if len(pairs) > 1 else None
            lines += [""] * (lines[-1] != "") + list(report.table(outcome, level)) + _notes(bench, outcome)
        return begin + "\n".join(["", *lines, "", ""]) + end

    text = path.read_text(encoding="utf-8")
    path.write_text(BLOCK.sub(replace, text), encoding="utf-8")


def unexplained(data, benches):
    """Rows that lose without a note of why, and notes on rows that are not there, as sentences."""
    outcomes = {outcome.name: outcome for outcome in report.outcomes_of(data)}
    for bench in benches:
        outcome = outcomes.get(bench.name)
        if not outcome or not outcome.is_timed:
            continue
        for shortfall in shortfalls(outcome):
            if not _note_for(bench, shortfall.row):
                yield f"{bench.path}: no note on `{shortfall.row}`, {', '.join(shortfall.facts)}"
        names = {row.name for row in outcome.rows} | {"floor"}
        for name in (name for note in bench.notes for name in note["rows"] if name not in names):
            yield f"{bench.path}: a note on `{name}`, which is no row of this run"


def shortfalls(outcome):
    """The rows that lose, in the order of the table: to the original by more than the noise, to spirv-opt -O, to one pass
    alone, to the rival by hand; and the floor, if everything on does not come near it."""
    control, reference, best = outcome.row("control"), outcome.row("spirv-opt"), outcome.best()
    noise = max(1, control.high or 1) if control else 1
    rival = outcome.fastest("rival")
    for row in outcome.rows:
        facts = []
        if row.kind not in ("original", "control", "bound") and row.low is not None and row.low > noise:
            facts.append(f"{_more(row.ratio)} the original's time")
        if row.kind in ("pass", "all", "layout", "coarsened") and row.median:
            if not facts and reference and reference.median and row.median > NEAR_ROW * reference.median:
                facts.append(f"{_more(row.median / reference.median)} spirv-opt's")
            # Only the row with layouts has all that the pass for layouts does.
            alone = outcome.fastest("pass", but=None if row.kind == "layout" else f"{LAYOUT_PASS} alone")
            if row.kind != "pass" and alone and row.median > NEAR_ROW * alone.median:
                facts.append(f"{_more(row.median / alone.median)} that of `{alone.name}`")
            if row is best and rival and row.median > NEAR_ROW * rival.median:
                facts.append(f"{_more(row.median / rival.median)} that of `{rival.name}`")
        if facts:
            yield Shortfall(row.name, facts)
    if best and best.median and outcome.floor_us and outcome.floor_us / best.median < NEAR_FLOOR:
        yield Shortfall("floor", [f"{100 * outcome.floor_us / best.median:.0f}% of its speed is reached"])


def _more(ratio):
    return f"{ratio:.2f} times" if ratio >= 1.1 else f"{ratio:.3f} times"


def _note_for(bench, row):
    """The note that names a row, or the row whose shaders were finished for this one."""
    for name in (row, *(row[:n] for n in range(len(row) - 1, 0, -1) if row[n:].startswith(", "))):
        for note in bench.notes:
            if name in note["rows"]:
                return note
    return None


def _notes(bench, outcome):
    """A line for each note that a row which loses has, and for those without one."""
    grouped = {}
    for shortfall in shortfalls(outcome):
        note = _note_for(bench, shortfall.row)
        entry = grouped.setdefault(id(note) if note else shortfall.row, (note["text"] if note else "not investigated.", []))
        name = "The floor" if shortfall.row == "floor" else f"`{shortfall.row}`"
        entry[1].append(f"{name} ({', '.join(shortfall.facts)})")
    lines = [f"- {', '.join(rows)}: {text}" for text, rows in grouped.values()]
    best = outcome.best()
    other = min((row for row in outcome.rows if row.kind == "other" and ", Lanewise" in row.name and row.median),
                key=lambda row: row.median, default=None)
    if best and best.median and other and best.median > NEAR_ROW * other.median:
        gain = outcome.row("original").median / other.median
        lines.append(f"- Fastest by Lanewise: `{other.name}`, {gain:.2f} times as fast as the original.")
    return ["", *lines] if lines else []


def _facts(data):
    facts = [f"{data['device']}, driver {data['driver']}", data["date"], f"size `{data['size']}`",
             f"`--target={data['target']}`"]
    rates = data["rates"]
    if "bytes" in rates:
        facts.append(f"a copy moves {rates['bytes'] / 1e12:.2f} TB/s, read and written")
    if "operations" in rates:
        facts.append(f"{rates['operations'] / 1e12:.1f} million million multiply-adds/s")
    return "; ".join(facts) + "."


def _overview(pairs, missing):
    """One line for each sample, and what follows from all of them."""
    passes = list(dict.fromkeys(row.name for _, outcome in pairs for row in outcome.rows
                                if row.kind == "pass" and row.same_as != "spirv-opt -O"))  # anywhere
    head = ["sample", "what Lanewise does", "original", "spirv-opt -O", *(f"`{name.removesuffix(' alone')}`" for name in passes),
            "Lanewise", f"and `{COARSENING_PASS}`", "by hand", "better algorithm", "times as fast as spirv-opt -O", "of the speed by hand", "of floor"]
    yield report.line(head)
    yield "|" + "---|" * len(head)
    for bench, outcome in pairs:
        best, rival, gain = outcome.best(), report.of_rival(outcome), report.gain(outcome)
        yield report.line([
            bench.name, bench.does or "-", *(_time(outcome.row(kind)) for kind in ("original", "spirv-opt")),
            *(_pass_time(outcome, name) for name in passes), _time(best), _coarsened_time(outcome),
            _time(outcome.fastest("rival")), _time(outcome.fastest("expert")),
            "-" if not gain else f"{gain:.2f}" if report.is_changed(outcome) else "unchanged",
            f"{100 * rival:.0f}%" if rival else "-",
            f"{100 * outcome.floor_us / best.median:.0f}%" if outcome.floor_us and best and best.median else "-"])
    yield ""
    yield ("Times are medians in microseconds; `=` is the module of `spirv-opt -O`, or of *Lanewise* for coarsening. *Lanewise* has "
           "everything on, layouts too where a sample asks for them; *by hand* and *better algorithm* are the fastest of their kind.")
    yield ""
    mean = report.mean_gain([outcome for _, outcome in pairs])
    if mean:
        count = sum(report.is_changed(outcome) for _, outcome in pairs)
        coarsened = report.mean_gain([outcome for _, outcome in pairs], Outcome.coarsened)
        yield (f"**Geometric mean over the {count} that Lanewise changes: {mean:.2f} times as fast as spirv-opt -O; "
               f"with `{COARSENING_PASS}`: {coarsened:.2f}.**")
    if missing:
        yield ""
        yield f"Not measured: {', '.join(missing)}."


def _time(row):
    return "-" if not row or not row.median else f"{row.median:.0f}" if row.median >= 1000 else f"{row.median:.1f}"


def _coarsened_time(outcome):
    return "=" if outcome.coarsened() is outcome.best() else _time(outcome.coarsened())


def _pass_time(outcome, name):
    row = next((row for row in outcome.rows if row.name == name), None)
    if row and row.same_as:
        if row.same_as == "spirv-opt -O":
            return "="
        row = next(other for other in outcome.rows if other.name == row.same_as)
    return _time(row)
