"""What the scripts of this directory have in common: running lanewise, its reports, tables."""

import argparse
import dataclasses
import json
import os
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


class RunError(Exception):
    """Something that whoever called has to mend."""


@dataclasses.dataclass
class Built:
    """What a pass makes of a kernel, and how verify is to be asked."""
    modules: list  # (name, file): for the command line of verify; the first is what the others are compared with
    remarks: list  # of the pass, as it decides by itself
    is_changed: bool  # by these decisions
    scenario: pathlib.Path
    beside: list = dataclasses.field(default_factory=list)  # names of the variants in the scenario, in order
    options: list = dataclasses.field(default_factory=list)  # more for verify
    same_as: dict = dataclasses.field(default_factory=dict)  # variants that are the same module as one that runs


def built(kernel, modules, remarks):
    """Of modules that all fit the scenario of the kernel's folder; one of them is `auto`."""
    is_changed = modules[0][1].read_bytes() != dict(modules)["auto"].read_bytes()
    return Built(modules, remarks, is_changed, kernel.parent / "scenario.toml")


class Parser(argparse.ArgumentParser):
    """Bad usage is exit code 1, as for lanewise itself; argparse would take 2."""

    def error(self, message):
        raise RunError(f"{message}; see --help")


def default_program():
    """The program of the release build, else the one on PATH, else None."""
    built = ROOT / "build/release/bin/lanewise"
    return str(built) if os.access(built, os.X_OK) else shutil.which("lanewise")


def add_program(parser):
    parser.add_argument("--program", default=default_program(),
                        help="lanewise (default: the release build's, or PATH's)")


def check_program(parser, arguments):
    if not arguments.program:
        parser.error("no lanewise in build/release/bin or on PATH: build the release preset, or give --program")


def call(command):
    """Standard output of a command; its errors are ours. verify tells by 2 what is in its report."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 2):
        raise RunError(f"`{' '.join(map(str, command))}` ends with exit code {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def verify(program, modules, options):
    """The report of `lanewise verify`."""
    return json.loads(call([program, "verify", *modules, *options, "--json=-"]))


def compiled(arguments, kernel, folder):
    """The module that the front end makes of a kernel: most of the time that a variant takes would go into that."""
    module = folder / f"{kernel.stem}.original.spv"
    call([arguments.program, "opt", kernel, "-o", module])
    return module


def optimize(arguments, source, output, flags, pass_name):
    """Writes the optimized module (of --scenario=FILE a folder of them), gives back the remarks of one pass."""
    remarks = output.with_suffix(".jsonl")
    remarks.unlink(missing_ok=True)
    call([arguments.program, "opt", source, f"--target={arguments.target}", "--remarks=json",
          f"--remarks-file={remarks}", "-o", output, *flags])
    lines = remarks.read_text(encoding="utf-8").splitlines() if remarks.exists() else []
    return [remark for remark in map(json.loads, lines) if remark.get("pass") == pass_name]


def interval(timing):
    """The 95% confidence interval of a ratio, '' where there were too few rounds for one."""
    low, high = timing.get("ratio-low"), timing.get("ratio-high")
    return "" if low is None or high is None else f"{low:.3f} to {high:.3f}"


def table_line(cells):
    return "| " + " | ".join(map(str, cells)) + " |"


def table_head(columns):
    """The first two lines of a Markdown table."""
    return table_line(columns) + "\n|" + "---|" * len(columns)
