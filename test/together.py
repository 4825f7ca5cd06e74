#!/usr/bin/env python3
"""Runs all lit files, or all GoogleTests, in one go, and keeps what became of each for test/result_of.sh.

Every lit file and every GoogleTest is a ctest test of its own. A process for each costs more than most of the tests,
so ctest starts this first (the test lit/together or unit/together), and each test then only looks up its result. The
results hold for the ctest that asked for them and no other: a test that is run without this one runs by itself.

usage: together.py list-unit PROGRAM
       together.py lit RESULTS JOBS COMMAND...   COMMAND runs lit over a folder
       together.py unit RESULTS JOBS PROGRAM

RESULTS.PID gets a line PASS, FAIL or SKIP and the test's name for each, PID being ctest's; RESULTS.PID.log what was
printed of those that failed. What is not there has not come to an end.
"""

import concurrent.futures
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def names_of_unit_tests(program):
    """Suite.Test for each, as --gtest_filter takes them."""
    listed = subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True, check=True).stdout
    suite = ""
    for line in listed.splitlines():
        name = line.partition("#")[0].rstrip()
        if name.startswith("  "):
            yield suite + name.strip()
        elif name.endswith("."):
            suite = name


def run_lit(command, jobs):
    """(verdict, name, output) for each file."""
    with tempfile.TemporaryDirectory() as folder:
        results = pathlib.Path(folder, "results.json")
        # One more than there are cores: some wait, for a time limit or a lock.
        subprocess.run([*command, "-q", f"-j{jobs + 1}", "-o", str(results)], stdout=subprocess.DEVNULL, check=False)
        tests = json.loads(results.read_text())["tests"] if results.is_file() else []
    for test in tests:
        name = test["name"].partition(" :: ")[2]
        verdict = {"PASS": "PASS", "XFAIL": "PASS", "UNSUPPORTED": "SKIP"}.get(test["code"], "FAIL")
        yield verdict, name, test["output"]


def run_shard(program, shard, shards, results):
    environment = {**os.environ, "GTEST_TOTAL_SHARDS": str(shards), "GTEST_SHARD_INDEX": str(shard)}
    subprocess.run([program, f"--gtest_output=json:{results}"], env=environment, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=False)
    return json.loads(results.read_text())["testsuites"] if results.is_file() else []


def run_unit(program, jobs):
    """(verdict, name, output) for each test that a shard came to the end of."""
    # Many forks of a process that has run many tests take as long as the tests: its heap has grown.
    shards = 8 * jobs
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(jobs + 1) as pool:
        suites = pool.map(lambda n: run_shard(program, n, shards, pathlib.Path(folder, f"{n}.json")), range(shards))
        for suite in itertools.chain.from_iterable(suites):
            for test in suite["testsuite"]:
                name = f"{suite['name']}.{test['name']}"
                failures = [f["failure"] for f in test.get("failures", [])]
                verdict = "FAIL" if failures else "SKIP" if test.get("result") == "SKIPPED" else "PASS"
                yield verdict, name, "\n".join(failures)


def remove_others(results):
    """Takes away what other calls of ctest have left that are no longer there."""
    for path in results.parent.glob(results.name + ".*"):
        owner = re.fullmatch(r"\.(\d+)(\.log)?", path.name[len(results.name):])
        if owner and not pathlib.Path("/proc", owner.group(1)).exists():
            path.unlink(missing_ok=True)


def main(arguments):
    if arguments[:1] == ["list-unit"]:
        print("\n".join(names_of_unit_tests(arguments[1])))
        return 0
    kind, results, jobs, *command = arguments
    remove_others(pathlib.Path(results))
    outcome = run_lit(command, int(jobs)) if kind == "lit" else run_unit(command[0], int(jobs))
    counts = {"PASS": 0, "SKIP": 0, "FAIL": 0}
    lines, log = [], []
    for verdict, name, output in outcome:
        counts[verdict] += 1
        lines.append(f"{verdict} {name}\n")
        if verdict == "FAIL":
            log.append(f"---- {name}\n{output}\n---- end of {name}\n")
    owner = f"{results}.{os.getppid()}"
    pathlib.Path(owner + ".log").write_text("".join(log), encoding="utf-8")
    pathlib.Path(owner).write_text("".join(lines), encoding="utf-8")
    print(", ".join(f"{number} {verdict}" for verdict, number in counts.items()))
    return 0 if lines else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
