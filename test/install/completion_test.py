"""What bash, zsh and fish complete with the scripts of an installed tree: run with a real shell each.

usage: completion_test.py SHELL PREFIX
"""

import pathlib
import shutil
import sys
import tempfile
import unittest

import shells
from tree import commands

SHELL, PREFIX = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
PROGRAM = PREFIX / "bin/lanewise"
SKIPPED = 77


class Completion(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.scratch.name)
        for name in ("tile.comp", "tile.spv", "notes.txt", "scene.toml", "two words.comp"):
            (folder / name).write_text("")
        (folder / "shaders").mkdir()
        (folder / "shaders/inner.comp").write_text("")
        cls.shell = shells.start(SHELL, folder, PREFIX)

    @classmethod
    def tearDownClass(cls):
        cls.shell.close()
        cls.scratch.cleanup()

    def test_every_command(self):
        found = self.shell.candidates("lanewise ")
        self.assertEqual(sorted(found), sorted(commands(PROGRAM) + ["--help", "--version"]))

    def test_one_command_is_put_in(self):
        self.assertEqual(self.shell.completed("lanewise pro"), "lanewise profile ")

    def test_words_of_a_command(self):
        self.assertEqual(sorted(self.shell.candidates("lanewise layout ")), ["header", "pack", "unpack"])
        self.assertEqual(self.shell.completed("lanewise layout pack --man"), "lanewise layout pack --manifest=")

    def test_options_are_those_of_the_command(self):
        found = self.shell.candidates("lanewise opt --re")
        for name in ("--remarks=", "--remarks-file=", "--require-verified", "--redundancy-elimination"):
            self.assertIn(name, found)
        self.assertNotIn("--repeats=", found)
        self.assertEqual(self.shell.candidates("lanewise verify --re"), ["--repeats=", "--require-coverage", "--require-sound", "--require-verified"])

    def test_passes_and_their_values(self):
        self.assertEqual(self.shell.candidates("lanewise opt --pad"), ["--pad-shared-memory", "--pad-shared-memory="])
        self.assertEqual(sorted(self.shell.candidates("lanewise opt --pad-shared-memory=")), ["auto", "pad", "swizzle"])
        self.assertEqual(self.shell.completed("lanewise opt --pad-shared-memory=sw"),
                         "lanewise opt --pad-shared-memory=swizzle ")
        self.assertEqual(self.shell.completed("lanewise opt --simplify-i"), "lanewise opt --simplify-instructions ")

    def test_values_behind_equals_and_behind_a_space(self):
        self.assertEqual(self.shell.completed("lanewise opt --target=nv"), "lanewise opt --target=nvidia ")
        self.assertEqual(self.shell.completed("lanewise opt --target nv"), "lanewise opt --target nvidia ")
        self.assertEqual(sorted(self.shell.candidates("lanewise lint --format=")), ["json", "sarif", "text"])
        self.assertEqual(self.shell.completed("lanewise opt -x gls"), "lanewise opt -x glsl ")
        self.assertEqual(self.shell.completed("lanewise opt --only=pad"), "lanewise opt --only=pad-shared-memory:")
        self.assertIn("interpreter", self.shell.candidates("lanewise verify --device="))
        self.assertIn("vulkan1.2", self.shell.candidates("lanewise opt --target-env=v"))

    def test_files_by_their_suffix(self):
        found = self.shell.candidates("lanewise opt --scenario=s")
        self.assertEqual(sorted(word.rstrip("/") for word in found), ["scene.toml", "shaders"])
        self.assertEqual(self.shell.completed("lanewise opt --scenario=sc"), "lanewise opt --scenario=scene.toml ")
        self.assertEqual(self.shell.completed("lanewise opt --scenario sc"), "lanewise opt --scenario scene.toml ")
        self.assertEqual(sorted(self.shell.candidates("lanewise opt ti")), ["tile.comp", "tile.spv"])
        self.assertEqual(self.shell.completed("lanewise opt tile.c"), "lanewise opt tile.comp ")
        self.assertEqual(self.shell.completed("lanewise opt shaders/i"), "lanewise opt shaders/inner.comp ")
        self.assertNotIn("notes.txt", self.shell.candidates("lanewise opt "))
        self.assertEqual(self.shell.completed("lanewise opt a.comp -o n"), "lanewise opt a.comp -o notes.txt ")

    def test_names_with_spaces(self):
        if SHELL == "fish":
            self.assertEqual(self.shell.candidates("lanewise opt tw"), ["two words.comp"])
        else:
            self.assertEqual(self.shell.completed("lanewise opt tw"), "lanewise opt two\\ words.comp ")

    def test_folders_only(self):
        self.assertEqual(self.shell.completed("lanewise opt -I s"), "lanewise opt -I shaders/")

    def test_what_was_given_is_not_offered_again(self):
        self.assertNotIn("--diff", self.shell.candidates("lanewise opt --diff --d"))
        self.assertIn("--dependency-file=", self.shell.candidates("lanewise opt --diff --d"))
        self.assertIn("--spec-const=", self.shell.candidates("lanewise opt --spec-const=0:1 --sp"))

    def test_the_program_is_the_one_that_is_typed(self):
        self.assertEqual(self.shell.completed(f"{PROGRAM} pro"), f"{PROGRAM} profile ")


if __name__ == "__main__":
    if shutil.which(SHELL) is None:
        print(f"{SHELL} is not installed")
        sys.exit(SKIPPED)
    unittest.main()
