"""Calls of lanewise, and what it says of itself."""

import json
import re
import subprocess

LAYOUT_PASS = "--aos-to-soa"  # no part of -O, since the host has to know
COARSENING_PASS = "--coarsen-invocations"


class BenchError(Exception):
    """Something that whoever called has to mend."""


class Program:
    """The program under measurement, with the options that all of its calls share."""

    def __init__(self, path, device):
        self.path = path
        self.device = [] if device is None else [f"--device={device}"]
        self.standard_list = self._standard_list()  # (flag, whether it is Lanewise's) for each flag of -O=spirv-opt

    def call(self, *arguments):
        """Standard output of a call. verify tells by exit code 2 what stands in its report."""
        command = [str(argument) for argument in (self.path, *arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 2):
            raise BenchError(f"`{' '.join(command)}` ends with exit code {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def _standard_list(self):
        text = self.call("passes").partition("-O=spirv-opt is")[2]
        found = re.findall(r"^  (--\S+)( +\(Lanewise\))?$", text, re.MULTILINE)
        if not found:
            raise BenchError("`lanewise passes` does not print the list of -O=spirv-opt")
        return [(flag, bool(mark)) for flag, mark in found]

    def own_passes(self):
        """Flags of Lanewise's passes in -O, in order."""
        return [flag for flag, is_own in self.standard_list if is_own]

    def lays_out_buffers(self):
        """Whether it has --aos-to-soa, and scenarios in which a variant's buffers lie otherwise."""
        return f"\n  {LAYOUT_PASS}" in self.call("passes") and "--layout-manifest" in self.call("verify", "--help")

    def spirv_opt_flags(self, own=None):
        """spirv-opt's -O, with one pass of Lanewise where these stand."""
        place = next((n for n, (_, is_own) in enumerate(self.standard_list) if is_own), len(self.standard_list))
        flags = [[flag for flag, is_own in part if not is_own]
                 for part in (self.standard_list[:place], self.standard_list[place:])]
        return flags[0] + ([own] if own else []) + flags[1]

    def verify(self, *arguments):
        """A report of `lanewise verify`, as data."""
        return json.loads(self.call("verify", *arguments, *self.device, "--no-interpreter", "--json=-"))
