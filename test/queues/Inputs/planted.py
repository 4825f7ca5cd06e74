#!/usr/bin/env python3
"""Scenarios with one mistake each, and scenarios without: every mistake must be found, and nothing said of the others.

usage: planted.py LANEWISE FOLDER   (of fill.comp, sum.comp and count.comp; scenarios are written there)
"""

import pathlib
import re
import subprocess
import sys

HEAD = """{top}
[[shader]]
name = "fill"
file = "fill.comp"
[[shader]]
name = "sum"
file = "sum.comp"
[[shader]]
name = "count"
file = "count.comp"
[[shader]]
name = "count_in_workgroup"
file = "count_in_workgroup.comp"
[[shader]]
name = "count_in_subgroup"
file = "count_in_subgroup.comp"
[[buffer]]
name = "cells"
type = "u32"
count = 64
init = 1
{cells}
[[buffer]]
name = "other"
type = "u32"
count = 64
init = 2
[[buffer]]
name = "result"
type = "u32"
count = 1
[[queue]]
name = "compute"
[[queue]]
name = "main"
kind = "graphics"
[[queue]]
name = "copies"
kind = "transfer"
[[semaphore]]
name = "s"
[[semaphore]]
name = "r"
"""


def use(semaphore, value, stage=None):
    value = f'"{value}"' if isinstance(value, str) else value
    return f'{{ semaphore = "{semaphore}", value = {value}{f", stage = {chr(34)}{stage}{chr(34)}" if stage else ""} }}'


def submit(queue, *commands, wait="", signal="", more=""):
    keys = "".join(f"{key} = {value}\n" for key, value in (("wait", wait), ("signal", signal)) if value)
    return f'[[submit]]\nqueue = "{queue}"\n{keys}{more}\n' + "".join(commands)


def fill(buffer='"cells"', first=0, more=""):
    """Writes 16 words of the buffer from word `first` on."""
    return (f'[[submit.dispatch]]\nshader = "fill"\ngroups = [1]\nbind = {{ 0 = {buffer} }}\n'
            f'push_constants = [{{ type = "u32", value = {first} }}, {{ type = "u32", value = 9 }}]\n{more}\n')


def total(buffer='"cells"', first=0, more=""):
    """Reads 16 words of the buffer from word `first` on."""
    return (f'[[submit.dispatch]]\nshader = "sum"\ngroups = [1]\nbind = {{ 0 = {buffer}, 1 = "result" }}\n'
            f'push_constants = [{{ type = "u32", value = {first} }}]\n{more}\n')


def count(shader):
    """Adds to the first word by atomics."""
    return f'[[submit.dispatch]]\nshader = "{shader}"\ngroups = [1]\nbind = {{ 0 = "cells" }}\n'


def copy(more=""):
    return f'[[submit.copy]]\nfrom = "other"\nto = "cells"\n{more}\n'


def frames(count, in_flight):
    return f"repeat = {count}\nframes_in_flight = {in_flight}\n"


def in_turn(buffer):
    """Each frame fills a buffer on one queue and adds it up on the other."""
    return (submit("compute", fill(buffer, more="barrier = true"), signal=use("s", "frame + 1"))
            + submit("main", total(buffer, more="barrier = true"), wait=use("s", "frame + 1")))


def back_and_forth(waits_for):
    """The same with one buffer, whose reader signals the next writer."""
    return (submit("compute", fill(more="barrier = true"), wait=use("s", waits_for), signal=use("s", "2*frame + 1"))
            + submit("main", total(more="barrier = true"), wait=use("s", "2*frame + 1"),
                     signal=use("s", "2*frame + 2")))


TURNS = '{ frames = ["cells", "other"] }'
FILLED = submit("compute", fill(), signal=use("s", 1))
FENCED = submit("compute", fill(), more='fence = "done"\n')
BARRIER = "barrier = true"
EXCLUSIVE = 'sharing = "exclusive"'
RELEASE = '[[submit.release]]\nbuffer = "cells"\nto = "main"\n'
ACQUIRE = '[[submit.acquire]]\nbuffer = "cells"\nfrom = "compute"\n'

# name: (submissions, rules that must find something, top of the file, keys of `cells`)
PLANTED = {
    "missing wait": (FILLED + submit("main", total()),),
    "value of an earlier signal": (
        submit("compute", fill('"other"'), signal=use("s", 1)) + submit("compute", fill(), signal=use("s", 2))
        + submit("main", total(), wait=use("s", 1)),),
    "value that is there from the start": (FILLED + submit("main", total(), wait=use("s", 0)),),
    "value of the frame before": (
        submit("compute", fill(), signal=use("s", "frame + 1")) + submit("main", total(), wait=use("s", "frame")),
        {"queue-hazard"}, frames(3, 1)),
    "stage of the wait": (FILLED + submit("main", total(), wait=use("s", 1, "transfer")),),
    "stage of the signal": (
        submit("compute", fill(), signal=use("s", 1, "transfer")) + submit("main", total(), wait=use("s", 1)),),
    "signal before the copy": (
        submit("copies", signal=use("s", 1)) + submit("copies", copy()) + submit("main", total(), wait=use("s", 1)),),
    "signal before the dispatch": (
        submit("compute", signal=use("s", 1)) + submit("compute", fill()) + submit("main", total(), wait=use("s", 1)),),
    "copy over what is read": (submit("compute", total(), signal=use("s", 1)) + submit("copies", copy()),),
    "two copies, three frames": (in_turn(TURNS), {"queue-hazard"}, frames(5, 3)),
    "one copy, two frames": (in_turn('"cells"'), {"queue-hazard"}, frames(4, 2)),
    "one byte of a copy": (submit("copies", copy("bytes = 65")) + submit("main", total(first=16)),),
    "one word of two dispatches": (submit("compute", fill()) + submit("main", fill(first=15)),),
    "order of submission": (submit("compute", fill()) + submit("compute", total()),),
    "no barrier": (submit("compute", fill(), total(more="barrier = false")),),
    "barrier of another stage": (
        submit("compute", copy(), total(more='barrier = { from = "compute", to = "compute" }')),),
    "fence that nobody waits for": (FENCED + submit("main", total()),),
    "another semaphore": (FILLED + submit("copies", signal=use("r", 1)) + submit("main", total(), wait=use("r", 1)),),
    "written again too early": (
        FILLED + submit("main", total(), wait=use("s", 1), signal=use("s", 2))
        + submit("compute", fill(), wait=use("s", 1)),),
    "writer that does not wait for the reader": (
        back_and_forth("2*frame - 1"), {"queue-hazard", "queue-signal-backwards"}, frames(4, 4)),
    "signals go backwards": (
        submit("compute", fill(), signal=use("s", 2)) + submit("compute", signal=use("s", 1)),
        {"queue-signal-backwards"}),
    "cycle": (
        submit("compute", fill(), wait=use("r", 1), signal=use("s", 1))
        + submit("main", fill('"other"'), wait=use("s", 1), signal=use("r", 1)), {"queue-deadlock"}),
    "never signalled": (
        FILLED + submit("main", total('"other"'), wait=use("s", 3)), {"queue-wait-never-signalled"}),
    "atomics of workgroups": (submit("compute", count("count_in_workgroup")) + submit("main", count("count")),),
    "atomics of subgroups": (submit("compute", count("count_in_subgroup")) + submit("main", count("count_in_subgroup")),),
    "cycle of whole submissions": (
        submit("compute", fill(), wait=use("r", 1, "transfer"), signal=use("s", 1, "compute"))
        + submit("main", fill('"other"'), wait=use("s", 1), signal=use("r", 1)), {"queue-deadlock"}),
    "read behind its own release": (
        submit("compute", fill(), RELEASE, total(), signal=use("s", 1))
        + submit("main", ACQUIRE, fill('"other"'), wait=use("s", 1)), {"queue-ownership"}, "", EXCLUSIVE),
    "released to nobody": (
        submit("compute", fill(), RELEASE) + submit("main", fill('"other"')), {"queue-ownership"}, "", EXCLUSIVE),
    "acquired from nobody": (
        submit("main", ACQUIRE, total()) + submit("compute", fill('"other"')), {"queue-ownership"}, "", EXCLUSIVE),
    "never transferred": (
        FILLED + submit("main", total(), wait=use("s", 1)), {"queue-ownership"}, "", EXCLUSIVE),
}
RIGHT = {
    "atomics of the device": (submit("compute", count("count")) + submit("main", count("count")),),
    "wait at the counts": (FILLED + submit("main", total(), wait=use("s", 1, "indirect")),),
    "wait": (FILLED + submit("main", total(), wait=use("s", 1)),),
    "wait submitted first": (submit("main", total(), wait=use("s", 1)) + FILLED,),
    "disjoint bytes of a copy": (submit("copies", copy("bytes = 64")) + submit("main", total(first=16)),),
    "disjoint words of two dispatches": (submit("compute", fill()) + submit("main", fill(first=16)),),
    "transitive waits": (
        FILLED + submit("copies", wait=use("s", 1), signal=use("r", 1)) + submit("main", total(), wait=use("r", 1)),),
    "fence": (FENCED + submit("main", total(), more='host_wait = "done"\n'),),
    "fence of the frame": (
        FENCED + submit("main", total(), more='host_wait = { fence = "done", frame = "frame" }\n'), set(),
        frames(3, 1)),
    "semaphore that the host waits for": (
        FILLED + submit("main", total(), more=f'host_wait = {use("s", 1)}\n'),),
    "barrier between submissions": (submit("compute", fill()) + submit("compute", total(more=BARRIER)),),
    "barrier of these stages": (
        submit("compute", copy(), total(more='barrier = { from = "transfer", to = "compute" }')),),
    "two copies, two frames": (in_turn(TURNS), set(), frames(5, 2)),
    "one copy, one frame": (in_turn('"cells"'), set(), frames(4, 1)),
    "back and forth": (back_and_forth("2*frame"), set(), frames(4, 4)),
    "transferred": (
        submit("compute", fill(), RELEASE, signal=use("s", 1))
        + submit("main", ACQUIRE, total(), wait=use("s", 1)), set(), "", EXCLUSIVE),
}


def text_of(submissions, top="", cells=""):
    """The scenario, without what no submission names: that would be an error."""
    text = HEAD.format(top=top, cells=cells)
    for kind in ("shader", "buffer", "queue", "semaphore"):
        for name in re.findall(rf'\[\[{kind}\]\]\nname = "(\w+)"', text):
            if f'"{name}"' not in submissions:
                text = re.sub(rf'\[\[{kind}\]\]\nname = "{name}"\n(?:[^\[\n]+\n)*', "", text)
    return text + submissions


def rules_found(lanewise, file):
    done = subprocess.run([lanewise, "lint", "--disable=queue-redundant-wait", file], capture_output=True, text=True,
                          timeout=120, check=False)
    return set(re.findall(r"(?:error|warning): .*\[([\w-]+)\]", done.stdout)), done.stdout + done.stderr


def main():
    lanewise, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    for scope in ("Workgroup", "Subgroup"):
        text = (folder / "count.comp").read_text(encoding="utf-8").replace("gl_ScopeDevice", f"gl_Scope{scope}")
        (folder / f"count_in_{scope.lower()}.comp").write_text(text, encoding="utf-8")
    wrong = 0
    for cases, otherwise in ((PLANTED, {"queue-hazard"}), (RIGHT, set())):
        for name, (submissions, *rest) in cases.items():
            expected = rest[0] if rest else otherwise
            file = folder / (name.replace(" ", "-").replace(",", "") + ".toml")
            file.write_text(text_of(submissions, *rest[1:]), encoding="utf-8")
            found, output = rules_found(lanewise, file)
            if found != expected or (not expected and output):
                wrong += 1
                print(f"{name}: {sorted(found)} instead of {sorted(expected)}\n{output}")
    print(f"{len(PLANTED)} planted, {len(RIGHT)} right, {wrong} judged wrong")
    return wrong != 0


sys.exit(main())
