"""What `cmake --install` puts where, and that it works when the tree is moved.

usage: tree_test.py PREFIX
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PREFIX = pathlib.Path(sys.argv.pop(1))
ROOT = pathlib.Path(__file__).resolve().parents[2]

sys.path.insert(0, str(ROOT / "test/docs"))
import markdown # noqa: E402

FILES = [
    "bin/lanewise",
    "share/bash-completion/completions/lanewise",
    "share/zsh/site-functions/_lanewise",
    "share/fish/vendor_completions.d/lanewise.fish",
    "share/man/man1/lanewise.1",
    "share/man/man1/lanewise-opt.1",
    "share/doc/lanewise/README.md",
    "share/doc/lanewise/CHANGELOG.md",
    "share/doc/lanewise/LICENSE",
    "share/doc/lanewise/copyright",
    "share/doc/lanewise/docs/command-line.md",
    "share/doc/lanewise/docs/filecheck.md",
    "share/doc/lanewise/docs/passes/pad-shared-memory.md",
    "share/doc/lanewise/samples/transpose/scenario.toml",
    "share/lanewise/lit/lanewise_lit.py",
    "share/lanewise/lit/update_checks",
    "share/vulkan/explicit_layer.d/VkLayer_lanewise.json",
]


class InstalledTree(unittest.TestCase):
    def test_files(self):
        for name in FILES:
            self.assertTrue((PREFIX / name).is_file(), name)
        for name in ("bin/lanewise", "share/lanewise/lit/update_checks"):
            self.assertTrue(os.access(PREFIX / name, os.X_OK), name)

    def test_nothing_but_what_belongs_there(self):
        folders = {path.relative_to(PREFIX).parts[0] for path in PREFIX.rglob("*")}
        self.assertEqual(folders, {"bin", "lib", "share"})
        libraries = [path.name for path in PREFIX.glob("lib*/**/*") if path.is_file()]
        self.assertEqual(libraries, ["libVkLayer_lanewise.so"])
        odd = [path for path in PREFIX.rglob("*") if path.name == "__pycache__" or path.suffix in (".pyc", ".new")]
        self.assertEqual(odd, [])

    def test_license_is_that_of_the_sources(self):
        self.assertEqual((PREFIX / "share/doc/lanewise/LICENSE").read_text(), (ROOT / "LICENSE").read_text())

    def test_links_between_documents(self):
        """Pages for developers may lead to sources, which are not installed; the others lead to what is there."""
        documents = PREFIX / "share/doc/lanewise"
        pages = [documents / "README.md", *sorted(documents.glob("docs/*.md")), *sorted(documents.glob("docs/passes/*.md"))]
        developers = {"add-a-pass.md", "testing.md", "overview.md", "library.md"}
        broken = [f"{page.name}:{line}: {target}" for page in pages if page.name not in developers
                  for line, target in markdown.broken_links(page)]
        self.assertEqual(broken, [])

    def test_no_text_names_where_it_was_built(self):
        for path in sorted(PREFIX.rglob("*")):
            if path.is_file() and path.name != "lanewise":
                contents = path.read_bytes()
                named = [room for room in ("build", "driver", "passes") if f"{ROOT}/{room}/".encode() in contents]
                self.assertEqual(named, [], path) # and not all of the file in a message

    def test_layer_is_found_when_moved(self):
        with tempfile.TemporaryDirectory() as folder:
            moved = pathlib.Path(folder) / "with space"
            shutil.copytree(PREFIX, moved)
            manifest = moved / "share/vulkan/explicit_layer.d/VkLayer_lanewise.json"
            library = json.loads(manifest.read_text())["layer"]["library_path"]
            self.assertTrue((manifest.parent / library).is_file(), library)
            done = subprocess.run([moved / "bin/lanewise", "run", "--time", "--", "sh", "-c", "echo $VK_ADD_LAYER_PATH"],
                                  capture_output=True, text=True, check=False, timeout=60,
                                  env={"PATH": os.environ["PATH"]})
            self.assertEqual((done.returncode, done.stdout.strip()), (0, str(manifest.parent)), done.stderr)

    def test_moved_tree_works(self):
        with tempfile.TemporaryDirectory() as folder:
            moved = pathlib.Path(folder) / "with space"
            shutil.copytree(PREFIX, moved)
            sample = moved / "share/doc/lanewise/samples/transpose"
            done = subprocess.run(
                [moved / "bin/lanewise", "opt", "-O", "--verify", "--no-timing", "--device=interpreter",
                 f"--scenario={sample / 'scenario.toml'}", sample / "transpose.comp", "-o", f"{folder}/out.spv"],
                capture_output=True, text=True, check=False, timeout=200)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("padded 'tile'", done.stderr)
            self.assertIn(": verified", done.stderr)


if __name__ == "__main__":
    unittest.main()
