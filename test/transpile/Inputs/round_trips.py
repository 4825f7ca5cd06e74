"""Optimizes every shader of a sample's scenario and transpiles the result to each language, verified at the scenario's
small size where there is a way back. Prints a line each: "SHADER LANGUAGE: verified", or what the program said instead.

usage: round_trips.py LANEWISE SAMPLE SCRATCH [--scenario=NAME.toml] [--spec-const=SHADER=ID:VALUE]... [--shaders=NAME,...]
"""

import argparse
import pathlib
import re
import subprocess
import sys

LANGUAGES = [("glsl",), ("glsl", "--vulkan"), ("essl",), ("hlsl",), ("msl",)]


def shaders_of(scenario):
    """(name, file, macros) of each [[shader]]."""
    for table in re.split(r"^\[\[?", scenario.read_text(), flags=re.M):
        if not table.startswith("shader]]"):
            continue
        name = re.search(r'^name = "(.*)"', table, re.M).group(1)
        file = re.search(r'^file = "(.*)"', table, re.M).group(1)
        macros = re.search(r"^defines = \{(.*)\}", table, re.M)
        yield name, scenario.parent / file, re.findall(r"(\w+) = \"?(\w+)", macros.group(1)) if macros else []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lanewise")
    parser.add_argument("sample", type=pathlib.Path)
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--scenario", default="scenario.toml")
    parser.add_argument("--msl-constants", default="", help="of the shaders that need them: ID:VALUE")
    parser.add_argument("--shaders", default="")
    arguments = parser.parse_args()
    arguments.scratch.mkdir(parents=True, exist_ok=True)
    scenario = arguments.sample / arguments.scenario
    wanted = arguments.shaders.split(",") if arguments.shaders else None
    for name, file, macros in shaders_of(scenario):
        if wanted and name not in wanted:
            continue
        module = arguments.scratch / f"{name}.spv"
        defines = [f"-D{key}={value}" for key, value in macros]
        subprocess.run([arguments.lanewise, "opt", "-O", "--remarks=none", *defines, file, "-o", module], check=True)
        for language in LANGUAGES:
            text = arguments.scratch / f"{name}.{language[-1].strip('-')}"
            command = [arguments.lanewise, "transpile", module, f"--to={language[0]}", *language[1:], "-o", text]
            if language[0] != "msl":
                command += ["--verify", "--device=cpu", "--no-interpreter", f"--scenario={scenario}", "--size=small",
                            f"--shader={name}"]
            elif arguments.msl_constants:
                command.append(f"--spec-const={arguments.msl_constants}")
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            lines = [line for line in done.stderr.splitlines() if ": note: " not in line]
            verdict = lines[0].split(": ", 1)[1] if lines else "written" if text.stat().st_size else "empty"
            if done.returncode == 0 and language[0] != "msl" and verdict == "verified" and text.stat().st_size == 0:
                verdict = "empty"
            print(f"{name} {' '.join(language)}: {verdict}{f' (exit {done.returncode})' if done.returncode else ''}")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
