"""The figures as one HTML page that needs nothing else: a plot and a table for each sample."""

import html

COLOURS = {
    "original": "#8a8a8a", "control": "#c0c0c0", "spirv-opt": "#b58900", "pass": "#6baed6", "all": "#08519c",
    "layout": "#54278f", "coarsened": "#e7298a", "rival": "#31a354", "expert": "#a1d99b", "bound": "#dddddd", "other": "#d9b38c"}
LEGEND = {
    "original": "as it is", "spirv-opt": "spirv-opt -O", "pass": "a pass of Lanewise", "all": "Lanewise -O",
    "layout": "with layouts", "coarsened": "with coarsening", "rival": "by hand, same algorithm", "expert": "better algorithm", "bound": "bytes only",
    "other": "another form"}
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; margin: 1rem 0; } td, th { padding: .15rem .7rem; text-align: right; }
td:first-child, th:first-child { text-align: left; } tr:nth-child(even) { background: #f5f5f5; }
svg text { font: 12px system-ui, sans-serif; } .legend span { margin-right: 1rem; white-space: nowrap; }
.legend i { display: inline-block; width: .8em; height: .8em; margin-right: .3em; }
"""
ROW, LEFT, WIDTH, RIGHT = 22, 270, 480, 130  # of a plot, in pixels


def render(data):
    title = f"Samples on {data['device'] or 'no device'}"
    parts = [
        "<!DOCTYPE html>", '<html lang="en"><head><meta charset="utf-8">', f"<title>{html.escape(title)}</title>",
        f"<style>{STYLE}</style></head><body>", f"<h1>{html.escape(title)}</h1>", f"<p>{html.escape(_facts(data))}</p>"]
    if data["cpu-device"]:
        parts.append("<p>A CPU device has no banks: its times say nothing.</p>")
    parts.append('<p class="legend">' + "".join(
        f'<span><i style="background:{COLOURS[kind]}"></i>{html.escape(text)}</span>' for kind, text in LEGEND.items()) + "</p>")
    parts += [_sample(sample) for sample in data["samples"]]
    return "\n".join(parts + ["</body></html>", ""])


def _facts(data):
    facts = [data["driver"], data["date"], f"size {data['size']}", f"optimized for {data['target']}"]
    rates = data["rates"]
    if "bytes" in rates:
        facts.append(f"a copy moves {rates['bytes'] / 1e9:.0f} GB/s")
    if "operations" in rates:
        facts.append(f"{rates['operations'] / 1e9:.0f} thousand million multiply-adds/s")
    if data["geometric-mean"]:
        facts.append(f"geometric mean over what Lanewise changes: {data['geometric-mean']:.2f} times as fast as spirv-opt -O")
    return "; ".join(fact for fact in facts if fact)


def _sample(sample):
    name = html.escape(sample["name"])
    if sample["state"] == "unverified":
        return f"<h2>{name}</h2><p>Not run: {html.escape(sample['reason'])}</p>"
    timed = [program for program in sample["programs"] if program["median-us"]]
    return f"<h2>{name}</h2>{_plot(timed, sample['floor']['us']) if timed else ''}{_table(sample['programs'])}"


def _plot(programs, floor):
    """Bars of median times, with the interval of the ratio as a whisker, and the floor as a line."""
    original = programs[0]["median-us"]
    # The whisker's end is that of a ratio to the original.
    longest = max(max(p["median-us"], (p["ratio-high"] or 0) * original) for p in programs)
    scale = WIDTH / longest
    height = ROW * len(programs) + 20
    out = [f'<svg role="img" width="{LEFT + WIDTH + RIGHT}" height="{height}">']
    for n, program in enumerate(programs):
        y, length = n * ROW, program["median-us"] * scale
        label = f"{program['median-us']:.1f} us" + (f" ({program['ratio']:.3f})" if program["ratio"] else "")
        out.append(f'<text x="{LEFT - 8}" y="{y + 15}" text-anchor="end">{html.escape(program["name"])}</text>')
        out.append(f'<rect x="{LEFT}" y="{y + 3}" width="{length:.1f}" height="{ROW - 6}" fill="{COLOURS[program["kind"]]}"/>')
        end = length
        if program["ratio-low"] is not None and program["ratio-high"] is not None:
            low, high = (program[key] * original * scale for key in ("ratio-low", "ratio-high"))
            out.append(f'<path d="M{LEFT + low:.1f} {y + ROW / 2}H{LEFT + high:.1f}" stroke="#000"/>')
            end = max(end, high)
        out.append(f'<text x="{LEFT + end + 6:.1f}" y="{y + 15}">{html.escape(label)}</text>')
    if floor and floor <= longest:
        x = LEFT + floor * scale
        out.append(f'<path d="M{x:.1f} 0V{height - 16}" stroke="#d00" stroke-dasharray="4 3"/>')
        out.append(f'<text x="{x:.1f}" y="{height - 3}" text-anchor="middle" fill="#d00">floor {floor:.1f} us</text>')
    return "".join(out) + "</svg>"


def _table(programs):
    rows = ["<table><tr><th>program</th><th>median, us</th><th>ratio to original</th><th>95% interval</th><th>outputs</th></tr>"]
    for program in programs:
        if program["same-as"]:
            cells = [f"as {program['same-as']}", "", "", ""]
        else:
            has_interval = program["ratio-low"] is not None and program["ratio-high"] is not None
            cells = [
                f"{program['median-us']:.1f}" if program["median-us"] else "-",
                f"{program['ratio']:.3f}" if program["ratio"] else "",
                f"{program['ratio-low']:.3f} to {program['ratio-high']:.3f}" if has_interval else "", program["state"]]
        rows.append("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in [program["name"], *cells]) + "</tr>")
    return "".join(rows) + "</table>"
