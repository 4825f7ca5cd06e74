"""utils/check_tests.py must reject tests that check nothing, and leave good ones alone."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "utils/check_tests.py"


def verdict(text, name="a.spvasm"):
    """(exit code, stderr) of the script for a test directory with one file."""
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        done = subprocess.run([sys.executable, SCRIPT, directory], capture_output=True, text=True, check=False)
        return done.returncode, done.stderr


class Accepts(unittest.TestCase):
    def test_directives(self):
        self.assertEqual(verdict("; RUN: x | FileCheck %s\n; CHECK: a\n; CHECK-NEXT: b\n; CHECK-COUNT-2: c\n"), (0, ""))

    def test_own_prefix(self):
        self.assertEqual(verdict("; RUN: x | FileCheck --check-prefix=BEFORE %s\n; BEFORE-NOT: b\n"), (0, ""))

    def test_several_prefixes(self):
        text = "; RUN: x | FileCheck %s\n; RUN: y | FileCheck --check-prefixes=A,B %s\n; CHECK: 1\n; A: 2\n; B: 3\n"
        self.assertEqual(verdict(text), (0, ""))

    def test_prefix_that_begins_like_another(self):
        text = "// RUN: x | FileCheck --check-prefix=CHECK-TEXT %s\n// CHECK-TEXT-NEXT: 1\n"
        self.assertEqual(verdict(text, "a.comp"), (0, ""))

    def test_one_filecheck_with_a_prefix_and_one_without(self):
        text = "; RUN: FileCheck %s < a\n; RUN: FileCheck --check-prefix=B %s < b\n; CHECK: 1\n; B: 2\n"
        self.assertEqual(verdict(text), (0, ""))

    def test_continued_run_line(self):
        text = "; RUN: x | FileCheck \\\n; RUN:   --check-prefix=B %s\n; B: 2\n"
        self.assertEqual(verdict(text), (0, ""))

    def test_sentence_that_begins_with_a_prefix(self):
        text = "; RUN: x | FileCheck --check-prefix=JSON %s\n; JSON has it on one line.\n; JSON: 2\n"
        self.assertEqual(verdict(text), (0, ""))

    def test_no_filecheck(self):
        self.assertEqual(verdict("; RUN: not %lanewise opt\n"), (0, ""))

    def test_inputs_are_no_tests(self):
        self.assertEqual(verdict("; CHECK no\n", "Inputs/a.spvasm"), (0, ""))


class Rejects(unittest.TestCase):
    def assert_rejected(self, text, line, reason):
        code, errors = verdict(text)
        self.assertEqual(code, 1)
        self.assertIn(f"a.spvasm:{line}: ", errors)
        self.assertIn(reason, errors)

    def test_missing_colon(self):
        self.assert_rejected("; RUN: x | FileCheck %s\n; CHECK: a\n; CHECK b\n", 3, "without its colon")

    def test_missing_colon_after_suffix(self):
        self.assert_rejected("; RUN: x | FileCheck %s\n; CHECK-NEXT b\n", 2, "without its colon")

    def test_missing_colon_own_prefix(self):
        self.assert_rejected("; RUN: x | FileCheck --check-prefix=OUT %s\n; OUT b\n", 2, "without its colon")

    def test_misspelled_suffix(self):
        self.assert_rejected("; RUN: x | FileCheck %s\n; CHECK-NXT: b\n", 2, "no check directive")

    def test_prefix_that_nothing_reads(self):
        self.assert_rejected("; RUN: x | FileCheck --check-prefix=OUT %s\n; OUT: a\n; CHECK: b\n", 3, "no RUN line")

    def test_no_run_line(self):
        self.assert_rejected("; CHECK: b\n", 1, "never runs")


if __name__ == "__main__":
    unittest.main()
