"""utils/update_grammar must write the kept form of a grammar, and the kept files must be as it writes them."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "utils/update_grammar"
FACTS = ROOT / "passes/ir/generate_opcode_facts.py"

CORE = {
    "major_version": 1, "minor_version": 6, "revision": 3,
    "instructions": [
        {"opname": "OpLoad", "opcode": 61, "version": "1.0",
         "operands": [{"kind": "IdResultType"}, {"kind": "IdResult"}, {"kind": "IdRef", "name": "Pointer"},
                      {"kind": "MemoryAccess", "quantifier": "?"}]},
        {"opname": "OpCapability", "opcode": 17, "version": "1.0", "operands": [{"kind": "Capability"}]},
        # Older grammars have an alias as an instruction of its own.
        {"opname": "OpDecorateStringGOOGLE", "opcode": 5632, "version": "1.4",
         "operands": [{"kind": "IdRef"}], "extensions": ["SPV_GOOGLE_decorate_string"]},
        {"opname": "OpDecorateString", "opcode": 5632, "version": "1.4",
         "operands": [{"kind": "IdRef"}], "extensions": ["SPV_GOOGLE_decorate_string"]},
        {"opname": "OpNewKHR", "opcode": 7000, "version": "None", "aliases": ["OpNewEXT"],
         "capabilities": ["Shader", "Matrix"], "operands": [{"kind": "IdRef", "quantifier": "*"}]},
    ],
    "operand_kinds": [
        {"kind": "MemoryAccess", "category": "BitEnum", "enumerants": [
            {"enumerant": "None", "value": "0x0000", "version": "1.0"},
            {"enumerant": "Aligned", "value": "0x0002", "version": "1.0", "parameters": [{"kind": "LiteralInteger"}]}]},
        {"kind": "Capability", "category": "ValueEnum", "enumerants": [
            {"enumerant": "Matrix", "value": 0, "version": "1.0"},
            {"enumerant": "Shader", "value": 1, "version": "1.0", "capabilities": ["Matrix"], "lastVersion": "1.5"}]},
        {"kind": "IdRef", "category": "Id"},
    ],
}
GLSL = {"instructions": [{"opname": "Round", "opcode": 1, "operands": [{"kind": "IdRef", "name": "'x'"}]}]}

CORE_TEXT = """
grammar 1.6 revision 3
kind bits MemoryAccess
  0x0 None
  0x2 Aligned : LiteralInteger
kind value Capability
  0 Matrix
  1 Shader {Matrix} @1.0..1.5
op 17 OpCapability : Capability
op 61 OpLoad : IdResultType IdResult IdRef MemoryAccess?
op 5632 OpDecorateString=OpDecorateStringGOOGLE : IdRef [SPV_GOOGLE_decorate_string] @1.4
op 7000 OpNewKHR=OpNewEXT : IdRef* {Shader Matrix} @-
"""


def run(*arguments):
    return subprocess.run([sys.executable, *map(str, arguments)], capture_output=True, text=True, check=False)


class UpdateGrammar(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.source = pathlib.Path(self.folder.name, "headers")
        self.output = pathlib.Path(self.folder.name, "kept")
        self.source.mkdir()
        self.write("spirv.core", CORE)
        self.write("extinst.glsl.std.450", GLSL)

    def write(self, name, grammar):
        (self.source / f"{name}.grammar.json").write_text(json.dumps(grammar))

    def update(self, *more):
        return run(SCRIPT, self.source, "--output", self.output, "--commit", "abc", "--date", "2026-01-02", *more)

    def test_writes_one_line_an_entry(self):
        done = self.update()
        self.assertEqual(done.returncode, 0, done.stderr)
        comments, text = (self.output / "core.grammar").read_text().split("\n\n", 1)
        self.assertEqual("\n" + text, CORE_TEXT)
        self.assertIn("commit abc, 2026-01-02", comments)
        self.assertIn("set GLSL.std.450\ninst 1 Round : IdRef\n", (self.output / "extended.grammar").read_text())

    def test_check_takes_what_it_wrote_and_nothing_else(self):
        self.update()
        self.assertEqual(run(SCRIPT, "--check", "--output", self.output).returncode, 0)
        kept = self.output / "core.grammar"
        kept.write_text(kept.read_text().replace("op 61 OpLoad", "op  61 OpLoad"))
        done = run(SCRIPT, "--check", "--output", self.output)
        self.assertEqual(done.returncode, 1)
        self.assertIn("core.grammar", done.stderr)

    def test_a_new_set_needs_a_name(self):
        self.write("extinst.new.thing", GLSL)
        done = self.update()
        self.assertEqual(done.returncode, 1)
        self.assertIn("extinst.new.thing.grammar.json is new", done.stderr)

    def test_origin_is_asked_for(self):
        done = run(SCRIPT, self.source, "--output", self.output)
        self.assertEqual(done.returncode, 1)
        self.assertIn("--commit", done.stderr)

    def test_kept_files_are_as_it_writes_them(self):
        done = run(SCRIPT, "--check")
        self.assertEqual(done.returncode, 0, done.stderr)

    def facts(self, rules):
        path = pathlib.Path(self.folder.name, "effects.def")
        path.write_text(rules)
        out = pathlib.Path(self.folder.name, "facts.inc")
        done = run(FACTS, "--grammar-dir", self.output, "--effects", path, "--output", out, "--constants",
                   pathlib.Path(self.folder.name, "constants.h"))
        return done, out.read_text() if out.exists() else ""

    def test_unread_opcodes_have_every_effect(self):
        core = json.loads(json.dumps(CORE))
        core["operand_kinds"] += [{"kind": kind, "category": "ValueEnum", "enumerants": []}
                                  for kind in ("BuiltIn", "ExecutionMode")]
        core["instructions"].append({"opname": "OpUses", "opcode": 7001, "version": "1.0",
                                     "operands": [{"kind": "BuiltIn"}, {"kind": "ExecutionMode"}]})
        self.write("spirv.core", core)
        self.update()
        done, text = self.facts("class Preamble: OpCapability\neffects ReadsMemory: OpLoad OpGone\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the grammar has no OpGone", done.stderr)
        self.assertIn('"OpLoad", OpClass::Value, Effect(1)', text)
        self.assertIn('"OpNewKHR", OpClass::Value, Effect(127)', text)
        self.assertIn('"OpCapability", OpClass::Preamble, Effect(0)', text)

    def test_effects_are_not_given_by_beginnings_of_names(self):
        self.update()
        done, _ = self.facts("effects ReadsMemory: OpLoa*\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("OpLoa*: effects are of opcodes that somebody has read", done.stderr)

    def test_a_new_kind_of_operand_stops_the_build(self):
        core = json.loads(json.dumps(CORE))
        core["instructions"][0]["operands"].append({"kind": "LiteralColor"})
        self.write("spirv.core", core)
        self.update()
        done, _ = self.facts("")
        self.assertEqual(done.returncode, 1)
        self.assertIn("operand kind LiteralColor is new", done.stderr)


if __name__ == "__main__":
    unittest.main()
