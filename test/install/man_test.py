"""The man pages of an installed tree: one for each command, of sound roff, and in step with --help.

usage: man_test.py PREFIX
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from tree import commands

PREFIX = pathlib.Path(sys.argv.pop(1))
ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = PREFIX / "bin/lanewise"
FOLDER = PREFIX / "share/man/man1"
PAGES = sorted(FOLDER.glob("*.1"))


def output(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    assert done.returncode == 0, (command, done.stderr)
    return done.stdout


def text_of(page):
    """The page as a reader has it, on long lines."""
    text = output("man", "-l", page, env={**os.environ, "MANWIDTH": "500", "LC_ALL": "C.UTF-8"})
    return re.sub(".\b", "", text)


class ManPages(unittest.TestCase):
    def test_a_page_for_each_command(self):
        self.assertEqual([page.name for page in PAGES],
                         sorted(["lanewise.1"] + [f"lanewise-{name}.1" for name in commands(PROGRAM)]))

    def test_roff_has_nothing_to_warn_of(self):
        for page in PAGES:
            done = subprocess.run(["groff", "-man", "-ww", "-z", "-Tutf8", page], capture_output=True, text=True, check=True)
            self.assertEqual(done.stderr, "", page)
            if shutil.which("man"):
                done = subprocess.run(["man", "-l", "--warnings", page], capture_output=True, text=True, check=True,
                                      env={**os.environ, "LC_ALL": "C.UTF-8"})
                self.assertEqual(done.stderr, "", page)
            if shutil.which("mandoc"):
                # Its exit code speaks of style too, such as long lines.
                done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page], capture_output=True, text=True, check=False)
                self.assertEqual(done.stdout + done.stderr, "", page)

    @unittest.skipUnless(shutil.which("man"), "man is not installed")
    def test_sections(self):
        for page in PAGES:
            text = text_of(page)
            for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "SEE ALSO"):
                self.assertRegex(text, rf"(?m)^{section}$", page)
            if page.name != "lanewise.1":
                self.assertRegex(text, r"(?m)^OPTIONS", page)

    @unittest.skipUnless(shutil.which("man"), "man is not installed")
    def test_every_option_of_help(self):
        count = 0
        for name in commands(PROGRAM):
            text = text_of(FOLDER / f"lanewise-{name}.1")
            actions = [[action] for action in ("pack", "unpack", "header")] if name == "layout" else [[]]
            for action in actions:
                shown = output(PROGRAM, name, *action, "--help")
                for option in re.findall(r"^  (-[^ \n]+)", shown, re.MULTILINE):
                    for spelled in re.sub(r"\[?=.*|\{\w+\}", "", option).split(","):
                        if spelled == "--FLAG":
                            continue # "any pass": the page has their names
                        count += 1
                        self.assertRegex(text, rf"(?m)^ .*(?<![\w-]){re.escape(spelled)}(?![\w-])", (name, spelled))
        self.assertGreater(count, 80)

    @unittest.skipUnless(shutil.which("man"), "man is not installed")
    def test_exit_codes_and_passes(self):
        text = text_of(FOLDER / "lanewise-lint.1")
        self.assertRegex(text, r"(?m)^ +2 +an error was found \(with --werror: anything\)$")
        text = text_of(FOLDER / "lanewise-opt.1")
        self.assertRegex(text, r"(?m)^ +--pad-shared-memory\[=auto\|pad\|swizzle\]$")
        self.assertIn("--simplify-instructions", text)

    def test_examples_work(self):
        """Those of opt, profile and lint as they stand, in one folder with files of those names."""
        ran = 0
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for file in (ROOT / "samples/transpose").iterdir():
                name, text = file.name, file.read_text(encoding="utf-8")
                (folder / name.replace("transpose.comp", "tile.comp")).write_text(
                    text.replace('"transpose.comp"', '"tile.comp"'), encoding="utf-8")
            queues = (ROOT / "samples/async_compute/scenario.toml").read_text(encoding="utf-8")
            (folder / "queues.toml").write_text(
                re.sub(r'file = "', f'file = "{ROOT}/samples/async_compute/', queues), encoding="utf-8")
            environment = {**os.environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}"}
            for name in ("opt", "profile", "lint"):
                page = (FOLDER / f"lanewise-{name}.1").read_text(encoding="utf-8")
                for command in re.findall(r"^\.nf\n(.*?)\n\.fi$", page, re.MULTILINE | re.DOTALL):
                    command = command.replace("\\-", "-").replace("--verify", "--verify --no-timing --device=interpreter")
                    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True,
                                          text=True, check=False, timeout=120)
                    # The transpose has bank conflicts: lint that makes errors of warnings says so.
                    self.assertIn(done.returncode, (0, 2) if "--werror" in command else (0,), (command, done.stderr))
                    ran += 1
        self.assertGreaterEqual(ran, 9)


if __name__ == "__main__":
    unittest.main()
