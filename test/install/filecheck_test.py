"""The worked example of docs/filecheck.md, with an installed tree: the suite passes, fails where it should, and
update_checks works on it.

usage: filecheck_test.py PREFIX LIT
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PREFIX, LIT = pathlib.Path(sys.argv.pop(1)), sys.argv.pop(1)
ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs/examples/filecheck"

sys.path.insert(0, str(ROOT / "test/docs"))
import markdown # noqa: E402


class WorkedExample(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.suite = self.folder / "my-tests"
        shutil.copytree(EXAMPLE, self.suite)
        self.environment = {**os.environ, "PATH": f"{PREFIX / 'bin'}:{os.environ['PATH']}",
                            "SHADER_TESTS_OUTPUT": str(self.folder / "out")}
        self.environment.pop("LANEWISE", None)

    def lit(self, *arguments):
        done = subprocess.run([sys.executable, LIT, "-v", *arguments, self.suite], capture_output=True, text=True,
                              check=False, env=self.environment, timeout=250)
        return done.returncode, done.stdout + done.stderr

    def update(self, *arguments):
        return subprocess.run([PREFIX / "share/lanewise/lit/update_checks", *arguments], capture_output=True, text=True,
                              check=False, env=self.environment, timeout=100)

    def test_suite_passes(self):
        code, text = self.lit()
        self.assertEqual(code, 0, text)
        tests = [path for path in EXAMPLE.iterdir() if path.suffix in (".comp", ".spvasm")]
        shown = re.findall(r"^(PASS|UNSUPPORTED): ", text, re.MULTILINE)
        self.assertEqual(len(shown), len(tests), text)
        if any(pathlib.Path("/usr/share/vulkan/icd.d").glob("lvp*.json")):
            self.assertNotIn("UNSUPPORTED", text)

    def test_suite_fails_where_the_output_is_another(self):
        test = self.suite / "tile.comp"
        test.write_text(test.read_text().replace("uint_33", "uint_34", 1))
        code, text = self.lit()
        self.assertEqual(code, 1, text)
        self.assertRegex(text, r"(?m)^FAIL: shaders :: tile.comp")

    def test_the_program_under_test_may_be_named(self):
        broken = self.folder / "lanewise"
        broken.write_text("#!/bin/sh\nexit 1\n")
        broken.chmod(0o755)
        self.environment["LANEWISE"] = str(PREFIX / "bin/lanewise")
        self.environment["PATH"] = f"{self.folder}:{os.environ['PATH']}"
        code, text = self.lit()
        self.assertEqual(code, 0, text)

    def test_without_a_program_it_says_so(self):
        self.environment["LANEWISE"] = str(self.folder / "no-such-program")
        code, text = self.lit()
        self.assertNotEqual(code, 0)
        self.assertNotIn("PASS", text)

    def test_check_lines_are_written_anew(self):
        test = self.suite / "tile.comp"
        before = test.read_text()
        done = self.update(self.suite)
        self.assertEqual((done.returncode, done.stdout, done.stderr, test.read_text()), (0, "", "", before))
        test.write_text(before.replace("uint_33", "uint_34", 1))
        done = self.update(self.suite)
        self.assertEqual((done.returncode, done.stderr, test.read_text()), (0, "", before))

    def test_substitutions_of_the_suite(self):
        test = self.suite / "tile.comp"
        test.write_text(test.read_text().replace("--target=nvidia", "%options"))
        done = self.update(self.suite)
        self.assertEqual(done.returncode, 1, done.stdout)
        done = self.update("-D", "%options=--target=nvidia", self.suite)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_tests_must_be_named(self):
        done = self.update()
        self.assertEqual(done.returncode, 2)
        self.assertIn("name the tests", done.stderr)

    def test_page_shows_the_files_as_they_are(self):
        shown = {}
        for block in markdown.blocks(ROOT / "docs/filecheck.md"):
            if "file" in block.attributes:
                shown[block.attributes["file"]] = block.text
        self.assertEqual(set(shown), {"lit.cfg.py", "tile.comp", "remark.comp", "equal.comp"})
        for name, text in shown.items():
            self.assertEqual(text, (EXAMPLE / name).read_text(), name)


if __name__ == "__main__":
    unittest.main()
