"""utils/check_rooms.py must hold this repository's rooms, and refuse what breaks their rules."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "utils/check_rooms.py"

GOOD = {
    "driver/README.md": "# driver/\n\nMay include: `passes`.\n",
    "driver/main.cpp": '#include <vector>\n#include "pass.h"\n',
    "passes/README.md": "# passes/\n\nMay include: `passes/ir`.\n",
    "passes/pass.h": '#include "ir/module.h"\n',
    "passes/ir/README.md": "# passes/ir/\n\nMay include: nothing of ours.\n",
    "passes/ir/module.h": "#pragma once\n",
    "passes/ir/module.cpp": '#include "ir/module.h"\n',
}


def verdict(changes=()):
    """(exit code, stderr) of the script for GOOD with some files changed; None takes one out."""
    with tempfile.TemporaryDirectory() as directory:
        for name, text in {**GOOD, **dict(changes)}.items():
            if text is None:
                continue
            path = pathlib.Path(directory, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run([sys.executable, SCRIPT, directory], capture_output=True, text=True, check=False)
        return done.returncode, done.stderr


class Rooms(unittest.TestCase):
    def refuses(self, changes, *words):
        code, said = verdict(changes)
        self.assertEqual(code, 1)
        self.assertEqual(len(said.splitlines()), 1, said)
        for word in words:
            self.assertIn(word, said)

    def test_of_this_repository(self):
        done = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_good(self):
        self.assertEqual(verdict(), (0, ""))

    def test_an_include_that_is_not_allowed(self):
        self.refuses({"driver/main.cpp": '#include "pass.h"\n\n#include "ir/module.h"\n'},
                     "driver/main.cpp:3:", "passes/ir", "driver/README.md does not allow")

    def test_an_include_upward_in_the_same_folder_tree(self):
        self.refuses({"passes/ir/module.cpp": '#include "../pass.h"\n'}, "passes/ir/module.cpp:1:", "of passes,")

    def test_a_circle(self):
        self.refuses({"passes/ir/README.md": "# passes/ir/\n\nMay include: `passes`.\n",
                      "passes/ir/module.cpp": '#include "pass.h"\n'}, "passes -> passes/ir -> passes")

    def test_an_allowance_that_nobody_uses(self):
        self.refuses({"passes/pass.h": "#pragma once\n"}, "passes/README.md: allows passes/ir, which nothing here")

    def test_a_room_without_readme(self):
        self.refuses({"passes/ir/README.md": None}, "passes/ir/README.md: missing")

    def test_a_readme_without_its_line(self):
        self.refuses({"passes/ir/README.md": "# passes/ir/\n"}, "passes/ir/README.md: missing, or without")

    def test_a_folder_that_was_added_by_mistake(self):
        with tempfile.TemporaryDirectory() as directory:
            for name, text in {**GOOD, "off/ab/cdef.spv": "", "off/ab/0123.spv": "", "notes.txt": ""}.items():
                path = pathlib.Path(directory, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            for command in (["init", "--quiet"], ["add", "driver", "passes", "off"]):
                subprocess.run(["git", "-C", directory, *command], check=True)
            done = subprocess.run([sys.executable, SCRIPT, directory], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)  # notes.txt is its user's
        self.assertIn("off: nothing that the repository keeps", done.stderr)

    def test_a_room_that_is_full(self):
        more = {f"passes/ir/n{n}.cpp": "" for n in range(14)}
        self.refuses(more, "passes/ir: 15 translation units")

    def test_write(self):
        with tempfile.TemporaryDirectory() as directory:
            for name, text in {**GOOD, "driver/main.cpp": '#include "ir/module.h"\n'}.items():
                path = pathlib.Path(directory, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            done = subprocess.run([sys.executable, SCRIPT, "--write", directory], capture_output=True, text=True,
                                  check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(pathlib.Path(directory, "driver/README.md").read_text(),
                             "# driver/\n\nMay include: `passes/ir`.\n")

    def test_vulkan_in_the_wrong_room(self):
        self.refuses({"passes/ir/module.h": "#include <vulkan/vulkan_core.h>\n"}, "passes/ir/module.h:1:", "vulkan")
        self.assertEqual(verdict({"driver/verify/a.cpp": "#include <vulkan/vulkan_core.h>\n",
                                  "driver/verify/README.md": "May include: nothing of ours.\n"}), (0, ""))


if __name__ == "__main__":
    unittest.main()
