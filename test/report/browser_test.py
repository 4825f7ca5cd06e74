"""Opens the pages of --html in headless Chromium, as wide as a phone and as a desk.

Checked: nothing is wider than the page, the plots have a point for each sample, what stands in shaders and names is
text, no script fails, nothing is fetched. A page that is wrong in all of these ways is opened beside them: what would
not be noticed on it is not tested.

usage: browser_test.py LANEWISE; exit code 77: no browser or no device to make pages with
"""

import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
PHONE, DESK = 360, 1000

TILE = """#version 430
// </pre><script>hacked = 1</script> <img src="http://hacked.invalid/a" onerror="hacked = 1">
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) buffer Source { float source[]; };
layout(binding = 1) buffer Target { float target[]; };
shared float tile[32][32]; // a line that is long enough to be wider than any phone, and that therefore scrolls in its box
void main() {
  uvec2 at = gl_LocalInvocationID.xy; /* <b>bold</b> & "quoted" */
  tile[at.y][at.x] = source[at.y * 32 + at.x]; // <script>hacked = 1</script> %s
  barrier(); target[at.y * 32 + at.x] = tile[at.x][at.y]; // </span></pre></figure><script>hacked = 1</script>
}
"""
LABEL = "<script>hacked=1</script>" + "a_name_without_a_place_to_break" * 4

BAD_PAGE = """<!DOCTYPE html><html><body><p style="width:2000px">wide</p><script>hacked = 1;
console.error("as expected"); fetch("http://expected.invalid/").catch(() => 0);</script></body></html>"""

# Runs in a page that holds the others in frames; what it finds is the text of #found.
MEASURE = """
const found = {};
addEventListener("load", () => setTimeout(() => {
  for (const frame of document.querySelectorAll("iframe")) {
    const doc = frame.contentDocument;
    const inBox = (e) => e.parentElement && (/auto|scroll|hidden/.test(frame.contentWindow.getComputedStyle(e.parentElement).overflowX)
      || inBox(e.parentElement));
    for (const folded of doc.querySelectorAll("details")) folded.open = true;
    const width = doc.documentElement.clientWidth; // without the scroll bar that may have come
    const wide = [...doc.body.querySelectorAll("*")].filter((e) => e.getClientRects().length && !inBox(e) &&
      (e.getBoundingClientRect().right > width + 0.5 || e.getBoundingClientRect().left < -0.5));
    const scroll = doc.documentElement.scrollWidth, filter = doc.getElementById("filter");
    let filtered = null, sorted = null;
    if (filter) {
      const shown = () => [...doc.querySelectorAll("table.sum tbody tr")].filter((r) => !r.hidden).map((r) => r.cells[0].textContent);
      const head = [...doc.querySelectorAll("table.sum thead button")];
      head[0].click(); sorted = shown(); head[0].click(); sorted = [sorted, shown()];
      filter.value = "T07"; filter.dispatchEvent(new Event("input")); filtered = shown();
    }
    found[frame.id] = { width, scroll, wide: wide.map((e) => e.tagName + "." + e.className.baseVal + e.className).slice(0, 5),
      hacked: "hacked" in frame.contentWindow, scripts: doc.querySelectorAll("script").length, images: doc.querySelectorAll("img").length,
      points: [...doc.querySelectorAll("svg.strip")].map((s) => s.querySelectorAll("circle.pt").length),
      outside: [...doc.querySelectorAll("svg.strip")].map((s) => [...s.querySelectorAll("circle, .med")].filter((c) => {
        const p = c.getBoundingClientRect(); return p.left < 0 || p.right > width; }).length),
      labels: [...doc.querySelectorAll("svg.axis")].map((a) => { const t = [...a.querySelectorAll("text")].map((x) => x.getBoundingClientRect());
        return t.every((r, n) => n === 0 || r.left > t[n - 1].right); }),
      text: doc.body.textContent, fetched: frame.contentWindow.performance.getEntriesByType("resource").map((r) => r.name),
      sections: doc.querySelectorAll("details.subject").length, filtered, sorted };
  }
  const out = document.createElement("pre");
  out.id = "found";
  out.textContent = JSON.stringify(found);
  document.body.append(out);
}, 100));
"""


def find_browser():
    """Chromium, but not as a snap: that cannot read files of ours, nor start without a session."""
    for name in ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"):
        path = shutil.which(name)
        if path is None or "snap" in os.path.realpath(path):
            continue
        if b"snap" in pathlib.Path(path).read_bytes()[:4096] and pathlib.Path(path).stat().st_size < 65536 and \
                not pathlib.Path("/usr/lib/chromium").exists():
            continue
        return path
    return None


def make_pages(lanewise, folder):
    """Name -> file. The commands run as users run them."""
    def run(*arguments, expected=0):
        done = subprocess.run([lanewise, *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=240)
        if done.returncode != expected:
            sys.exit(f"{arguments}: exit code {done.returncode}\n{done.stderr}")

    (folder / "tile<i>.comp").write_text(TILE % "one", encoding="utf-8")
    (folder / "other.comp").write_text((TILE % "two").replace("[32][32];", "[32][33];"), encoding="utf-8")
    (folder / "wrong.comp").write_text((TILE % "three").replace("= tile[", "= 1 + tile["), encoding="utf-8")
    run("verify", "tile<i>.comp", "other.comp", "--device=cpu", "--repeats=8", f"--label={LABEL}", "--html=verify.html")
    run("verify", "tile<i>.comp", "wrong.comp", "--device=cpu", "--html=wrong.html", expected=2)
    run("opt", "-O", "--verify", "--device=cpu", "tile<i>.comp", "-o", "tile.spv", "--html=opt.html")
    many = []
    for n in range(20):
        many.append(f"t{n:02}<i>.comp")
        (folder / many[-1]).write_text(TILE % n if n != 3 else "#version 430\nvoid main() { <script>hacked = 1; }\n", encoding="utf-8")
    (folder / "out").mkdir()
    run("opt", "-O", "--no-isolation", *many, "-o", "out", "--html=many.html", expected=1)
    (folder / "list").write_text("\n".join(many), encoding="utf-8")
    run("batch", "list", "-O", "-o", "batch", "-j2", "--html=batch.html", expected=1)
    run("run", "--time", "--html=run.html", "-o", "run.txt", "--", lanewise, "verify", "--device=cpu", "--no-timing",
        "tile<i>.comp", "tile<i>.comp")
    return {name: (folder / f"{name}.html").read_text(encoding="utf-8")
            for name in ("verify", "wrong", "opt", "many", "batch", "run")}


def open_pages(browser, folder, pages):
    """What MEASURE found, what the browser logged, and which addresses were asked for."""
    frames = "".join(
        f'<iframe id="{name}-{width}" style="width:{width}px;height:800px;border:0" srcdoc="{html.escape(text)}"></iframe>'
        for name, text in pages.items() for width in (PHONE, DESK))
    holder = folder / "holder.html"
    holder.write_text(f'<!DOCTYPE html><html><body style="margin:0">{frames}<script>{MEASURE}</script></body></html>',
                      encoding="utf-8")
    net_log = folder / "net.json"
    done = subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
         f"--user-data-dir={folder / 'profile'}", f"--window-size={DESK + 20},900", "--host-resolver-rules=MAP * ~NOTFOUND",
         f"--log-net-log={net_log}", "--enable-logging=stderr", "--virtual-time-budget=5000", "--dump-dom", holder.as_uri()],
        capture_output=True, text=True, check=False, timeout=240)
    match = re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.S)
    if not match:
        sys.exit(f"the browser (exit code {done.returncode}) gave no measurements\n{done.stderr[-3000:]}")
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    requests = set(re.findall(r'"url":"([^"]*)"', net_log.read_text(encoding="utf-8")))
    return json.loads(html.unescape(match.group(1))), console, requests


def problems_of(name, page):
    """What is wrong with a page, as far as it shows in the browser."""
    wrong = []
    if page["scroll"] > page["width"]:
        wrong.append(f"scrolls sideways: {page['scroll']} px in {page['width']}")
    if page["wide"]:
        wrong.append(f"wider than the page: {page['wide']}")
    if page["hacked"] or page["images"] or page["scripts"] != 1:
        wrong.append("what should be text is not")
    if page["fetched"]:
        wrong.append(f"fetches {page['fetched']}")
    if any(page["outside"]) or not all(page["labels"]):
        wrong.append("a plot runs out of the page, or its labels into one another")
    return [f"{name}: {what}" for what in wrong]


def check(found, console, requests):
    wrong = []
    for width in (PHONE, DESK):
        bad = problems_of("bad", found.pop(f"bad-{width}"))
        if len(bad) < 3:
            wrong.append(f"a bad page was taken for a good one at {width} px: {bad}")
        points = {"verify": [8, 8, 8], "opt": [20, 20, 20], "wrong": [], "many": [], "batch": [], "run": []}
        for name, expected in points.items():
            page = found[f"{name}-{width}"]
            wrong += problems_of(f"{name} at {width} px", page)
            if page["points"] != expected:
                wrong.append(f"{name}: {page['points']} points, not {expected}")
        for name, text in {
                "verify": LABEL, "wrong": "Outputs differ", "opt": 'tile[at.y][at.x] = source[at.y * 32 + at.x]; // <script>hacked = 1</script> one',
                "many": "t07<i>.comp", "run": "How long on the GPU?"}.items():
            if text not in found[f"{name}-{width}"]["text"]:
                wrong.append(f"{name}: lacks the text {text}")
        names = sorted(f"t{n:02}<i>.comp" for n in range(20))
        for name in ("many", "batch"):
            many = found[f"{name}-{width}"]
            if many["sections"] != 20 or many["filtered"] != ["t07<i>.comp"] or many["sorted"] != [names, names[::-1]]:
                wrong.append(f"{name}: {many['sections']} sections; filtered {many['filtered']}; sorted {many['sorted']}")
    # The bad page may complain; nobody else.
    unexpected = [line for line in console if "as expected" not in line and "expected.invalid" not in line]
    if unexpected or not any("as expected" in line for line in console):
        wrong.append(f"console: {console}")
    if not any("expected.invalid" in url for url in requests):
        wrong.append("the request of the bad page was not seen")
    if any("hacked.invalid" in url for url in requests):
        wrong.append("a shader's text was fetched")
    return wrong


def main():
    lanewise = os.path.abspath(sys.argv[1])
    browser = find_browser()
    if browser is None:
        print("skipped: no Chromium (utils/setup --tests installs it where it is no snap)")
        sys.exit(SKIPPED)
    if subprocess.run([lanewise, "devices"], capture_output=True, check=False).returncode != 0:
        print("skipped: no Vulkan device")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        pages = {**make_pages(lanewise, folder), "bad": BAD_PAGE}
        wrong = check(*open_pages(browser, folder, pages))
    print("\n".join(wrong) or f"{len(pages) - 1} pages at {PHONE} and {DESK} px: ok")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
