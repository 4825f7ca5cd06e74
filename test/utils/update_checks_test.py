"""utils/update_checks must write check lines that FileCheck accepts, and only where it is asked to."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILECHECK = sys.argv.pop(1)
MARKER = "; NOTE: check lines written by utils/update_checks"
OUTPUT = "Header\n\n%12 = OpLabel\n  %x = OpIAdd %uint %12 %7 ; {{ [[ done\ntail %7\n"


class UpdateChecks(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.output = self.directory / "output.txt"
        self.output.write_text(OUTPUT)
        self.program = self.directory / "program"
        self.program.write_text(f"#!/bin/sh\ncat {self.output}\n")
        self.program.chmod(0o755)
        self.test = self.directory / "a.spvasm"

    def update(self, text):
        self.test.write_text(text)
        done = subprocess.run(
            [sys.executable, ROOT / "utils/update_checks", f"--program={self.program}", self.test],
            capture_output=True, text=True, check=False)
        return done, self.test.read_text()

    def filecheck(self, *arguments):
        with open(self.output, encoding="utf-8") as output:
            return subprocess.run([FILECHECK, *arguments, self.test], stdin=output, capture_output=True, check=False).returncode

    def test_written_lines_accept_the_output(self):
        done, text = self.update(f"; RUN: %lanewise | FileCheck %s\n{MARKER}\n; CHECK: old\nOpCapability Shader\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertNotIn("old", text)
        self.assertIn("; CHECK:      Header\n; CHECK-EMPTY:\n; CHECK-NEXT: [[ID12:%[0-9]+]] = OpLabel\n", text)
        self.assertTrue(text.endswith("OpCapability Shader\n"))
        self.assertEqual(self.filecheck(), 0)

    def test_written_lines_reject_another_output(self):
        self.update(f"; RUN: %lanewise | FileCheck %s\n{MARKER}\n")
        self.output.write_text(OUTPUT.replace("tail %7", "tail %8"))
        self.assertNotEqual(self.filecheck(), 0)

    def test_second_run_changes_nothing(self):
        _, once = self.update(f"; RUN: %lanewise | FileCheck %s\n{MARKER}\n")
        done, twice = self.update(once)
        self.assertEqual((done.stdout, once), ("", twice))

    def test_only_and_prefix(self):
        text = f"; RUN: %lanewise | FileCheck --check-prefix=OUT %s\n{MARKER} --only=Op\n; KEEP: x\n"
        _, text = self.update(text)
        self.assertIn("; OUT:      [[ID12:%[0-9]+]] = OpLabel\n; OUT-NEXT: ", text)
        self.assertNotIn("Header", text)
        self.assertIn("; KEEP: x\n", text)
        self.assertEqual(self.filecheck("--check-prefix=OUT"), 0)

    def test_without_marker_nothing_is_touched(self):
        text = "; RUN: %lanewise | FileCheck %s\n; CHECK: old\n"
        done, after = self.update(text)
        self.assertEqual((done.returncode, after), (1, text))

    def test_failing_command_leaves_the_test_alone(self):
        text = f"; RUN: false | FileCheck %s\n{MARKER}\n; CHECK: old\n"
        done, after = self.update(text)
        self.assertEqual((done.returncode, after), (1, text))
        self.assertIn("exit code 1", done.stderr)


if __name__ == "__main__":
    unittest.main()
