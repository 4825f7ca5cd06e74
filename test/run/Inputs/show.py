"""What of a report of `lanewise run` is the same each time, a line a pipeline; and that the rest fits together."""

import json
import sys

report = json.load(open(sys.argv[1], encoding="utf-8"))
print(f"processes {report['processes']}, pending {report['pending']}")
assert abs(sum(p["total-us"] for p in report["pipelines"]) - report["total-us"]) < 1e-6 * report["total-us"] + 1e-9
for pipeline in report["pipelines"]:
    sizes = pipeline["sizes"]
    if not sizes:
        continue
    for key in ("dispatches", "timed", "overlapping", "unordered"):
        assert sum(size[key] for size in sizes) == pipeline[key], (key, pipeline)
    for size in sizes:
        assert size["timed"] == 0 or 0 < size["median-us"] <= size["total-us"] * 1.0001, size
    text = ", ".join("x".join(map(str, size["groups"])) + f": {size['dispatches']}" if size["groups"]
                     else f"indirect: {size['dispatches']}" for size in sizes)
    constants = " ".join(f"{key}={value}" for key, value in pipeline["constants"].items())
    print(f"{pipeline['name']} constants {constants} workgroup {'x'.join(map(str, pipeline['workgroup-size']))}: "
          f"{pipeline['dispatches']} dispatches, {pipeline['timed']} timed, {pipeline['overlapping']} overlapping, "
          f"{pipeline['unordered']} unordered; {text}")
