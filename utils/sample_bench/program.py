"""Calls of lanewise, and what it says of itself."""

import json
import re
import subprocess


class BenchError(Exception):
    """Something that whoever called has to mend."""


class Program:
    """The program under measurement, with the options that all of its calls share."""

    def __init__(self, path, device):
        self.path = path
        self.device = [] if device is None else [f"--device={device}"]
        self.standard_list = self._standard_list()  # (flag, whether it is Lanewise's) for each flag of -O

    def call(self, *arguments):
        """Standard output of a call. verify tells by exit code 2 what stands in its report."""
        command = [str(argument) for argument in (self.path, *arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 2):
            raise BenchError(f"`{' '.join(command)}` ends with exit code {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def _standard_list(self):
        text = self.call("passes").partition("-O is exactly")[2]
        found = re.findall(r"^  (--\S+)( +\(Lanewise\))?$", text, re.MULTILINE)
        if not found:
            raise BenchError("`lanewise passes` does not print the list of -O")
        return [(flag, bool(mark)) for flag, mark in found]

    def own_passes(self):
        """Flags of Lanewise's passes in -O, in order."""
        return [flag for flag, is_own in self.standard_list if is_own]

    def knows_pass(self, flag):
        return f"\n  {flag}" in self.call("passes").partition("-O is exactly")[0]

    def spirv_opt_flags(self, *with_own):
        """spirv-opt's -O, and of Lanewise's passes in it only those named."""
        return [flag for flag, is_own in self.standard_list if not is_own or flag in with_own]

    def verify(self, *arguments):
        """A report of `lanewise verify`, as data."""
        return json.loads(self.call("verify", *arguments, *self.device, "--no-interpreter", "--json=-"))
