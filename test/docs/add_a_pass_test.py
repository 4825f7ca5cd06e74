"""A pass that forgets one of its four places must not configure, and the message must name the place."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import apply_guide

ROOT = pathlib.Path(__file__).resolve().parents[2]
GUIDE = ROOT / "docs/add-a-pass.md"
PLACES = {
    "passes/fold_add_zero.cpp": "has no passes/fold_add_zero.cpp",
    "passes/registry.def": "passes/fold_add_zero.cpp has no line in passes/registry.def",
    "test/passes/fold-add-zero": "has no test/passes/fold-add-zero",
    "docs/passes/fold-add-zero.md": "has no docs/passes/fold-add-zero.md",
}


class AddAPass(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.directory.cleanup)
        cls.build = pathlib.Path(cls.directory.name) / "build"
        cls.tree = pathlib.Path(cls.directory.name) / "tree"
        ignored = shutil.ignore_patterns("build", ".git", "__pycache__", ".cache")
        shutil.copytree(ROOT, cls.tree, ignore=ignored, symlinks=True)

    def configure(self, without=None):
        """Follows the guide but for one place, configures, takes the guide's files away; (exit code, output)."""
        touched = apply_guide.apply_guide(GUIDE, self.tree, without)
        # One build folder for all: the compiler is looked for once.
        done = subprocess.run(
            ["cmake", "-G", "Ninja", "-S", self.tree, "-B", self.build, "-DLANEWISE_TESTS=OFF", "-DLANEWISE_BENCHMARKS=OFF"],
            capture_output=True, text=True, check=False)
        for path in touched:
            (self.tree / path).unlink(missing_ok=True)
            if (ROOT / path).exists():
                shutil.copyfile(ROOT / path, self.tree / path)
        return done.returncode, " ".join((done.stdout + done.stderr).split())

    def test_guide_touches_exactly_four_places(self):
        with tempfile.TemporaryDirectory() as directory:
            touched = apply_guide.apply_guide(GUIDE, pathlib.Path(directory))
        unexpected = [path for path in touched if not path.startswith(tuple(PLACES))]
        self.assertEqual(unexpected, [])
        for place in PLACES:
            self.assertTrue(any(path.startswith(place) for path in touched), place)

    def test_all_places(self):
        code, output = self.configure()
        self.assertEqual(code, 0, output)

    def test_forgotten_places(self):
        for place, message in PLACES.items():
            with self.subTest(place):
                code, output = self.configure(without=place)
                self.assertNotEqual(code, 0)
                self.assertIn(message, output)
                self.assertIn("docs/add-a-pass.md", output)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
