"""test/docs/run_commands.py must read documents as it says, or their tests test nothing."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "docs"))

import markdown
import run_commands


def commands(text):
    """What the runner would run of a document."""
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory, "a.md")
        path.write_text(text)
        return [c for block in markdown.blocks(path) for c in run_commands.commands_of(block)]


class Commands(unittest.TestCase):
    def test_each_line_of_a_shell_block(self):
        self.assertEqual(commands("```sh\na\n# no\n\nb # exit 2\n```\n"), [(2, "a", 0, []), (5, "b # exit 2", 2, [])])

    def test_continued_line(self):
        self.assertEqual(commands("```sh\na \\\n  b\n```\n"), [(2, "a   b", 0, [])])

    def test_console_block_has_output(self):
        self.assertEqual(commands("```console\n$ a\nx\n...\ny\n$ b\n```\n"), [(2, "a", 0, ["x", "y"]), (6, "b", 0, [])])

    def test_other_languages_are_not_run(self):
        self.assertEqual(commands("```glsl\na\n```\n```\nb\n```\n"), [])

    def test_block_without_an_end(self):
        self.assertRaises(ValueError, commands, "```sh\na\n")


class Output(unittest.TestCase):
    def test_lines_in_order(self):
        self.assertIsNone(run_commands.missing_line(["a ... d", "e"], "x\na   b c d\ny\ne\n"))

    def test_wrong_order(self):
        self.assertEqual(run_commands.missing_line(["e", "a"], "a\ne\n"), "a")

    def test_other_text(self):
        self.assertEqual(run_commands.missing_line(["degree 32 -> 1"], "degree 32 -> 2\n"), "degree 32 -> 1")


class Links(unittest.TestCase):
    def test_broken_link_is_found(self):
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory, "a.md")
            path.write_text("[a](a.md#x) [b](https://example.com) [c](#y) [d](b.md)\n```sh\n[e](c.md)\n```\n")
            self.assertEqual(list(markdown.broken_links(path)), [(1, "a.md#x"), (1, "#y"), (1, "b.md")])

    def test_headings_are_found(self):
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory, "a.md")
            path.write_text("# A `--flag`, and more\n[a](#a---flag-and-more)\n```sh\n# no heading\n```\n[b](a.md#no-heading)\n")
            self.assertEqual(list(markdown.broken_links(path)), [(6, "a.md#no-heading")])


if __name__ == "__main__":
    unittest.main()
