#!/usr/bin/env python3
"""Writes what the build takes from the kept grammar of SPIR-V (grammar/*.grammar) and from opcode_effects.def: the
tables that opcode_facts.cpp includes, and a header with the numbers of all opcodes and enumerants, because the
headers that are installed may be older than the grammar."""

import argparse
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "grammar"))
sys.dont_write_bytecode = True

import grammar_text

EFFECTS = {"None": 0, "ReadsMemory": 1, "WritesMemory": 2, "Atomic": 4, "Barrier": 8, "Subgroup": 16,
           "Control": 32, "MayTrapOrUndef": 64}
ALL_EFFECTS = 127
CLASSES = ["Preamble", "Debug", "Line", "Annotation", "Type", "Constant", "Variable", "Function", "Label",
           "Merge", "Terminator", "Value"]
COSTS = ["Simple", "Free", "Multiply", "Convert", "Divide", "IntegerDivide", "Special", "Transcendental", "Load"]
# Instructions of these classes are declarations: executing them means nothing.
INERT_CLASSES = {"Preamble", "Debug", "Line", "Annotation", "Type", "Constant", "Function", "Label", "Merge"}
# What OperandKind calls the kinds of operands that are no enumerations.
LEAVES = {"IdResultType": "ResultType", "IdResult": "Result", "IdRef": "Id", "IdScope": "Id", "IdMemorySemantics": "Id",
          "LiteralInteger": "Literal", "LiteralFloat": "Float", "LiteralString": "String",
          "LiteralContextDependentNumber": "ContextNumber", "LiteralExtInstInteger": "ExtInst",
          "LiteralSpecConstantOpInteger": "SpecOp", "PairLiteralIntegerIdRef": "PairLiteralId",
          "PairIdRefLiteralInteger": "PairIdLiteral", "PairIdRefIdRef": "PairIdId"}
# Of those the ones without an id.
IDLESS = {"Literal", "Float", "String", "ContextNumber"}
QUANTIFIERS = {"": "One", "?": "Optional", "*": "Any"}
# Sets of extended instructions by their names in opcode_facts.h.
EXT_SETS = {"GLSL.std.450": "GlslStd450", "OpenCL.std": "OpenClStd", "OpenCL.DebugInfo.100": "OpenClDebugInfo100",
            "DebugInfo": "DebugInfo", "NonSemantic.Shader.DebugInfo.*": "NonSemanticShaderDebugInfo100",
            "NonSemantic.ClspvReflection.*": "NonSemanticClspvReflection",
            "NonSemantic.Graph.DebugInfo.*": "NonSemanticGraphDebugInfo",
            "NonSemantic.VkspReflection.*": "NonSemanticVkspReflection",
            "SPV_AMD_gcn_shader": "AmdGcnShader", "SPV_AMD_shader_ballot": "AmdShaderBallot",
            "SPV_AMD_shader_explicit_vertex_parameter": "AmdShaderExplicitVertexParameter",
            "SPV_AMD_shader_trinary_minmax": "AmdShaderTrinaryMinmax", "Arm.MotionEngine.100": "ArmMotionEngine",
            "Arm.ExperimentalMLOperations.*": "ArmExperimentalMl", "TOSA.001000.1": "Tosa"}
# The enumerations that people read the names of by what they are (ir/enumerant_names.h).
NAMED_ENUMS = ["BuiltIn", "Capability", "ExecutionMode"]
# The enumerations that the oldest headers have, so that constants can have their types.
TYPED_ENUMS = ["BuiltIn", "Capability", "Decoration", "ExecutionMode", "ExecutionModel", "StorageClass"]
UNLIMITED = 0xFFFF
NO_VERSION = 0xFFFFFFFF


def fail(message):
    sys.exit(f"generate_opcode_facts.py: {message}")


class Rules:
    """opcode_effects.def: for each heading ("class Type", "speculatable", "extensions"), the names listed below it."""

    def __init__(self, path):
        self.path = path
        self.exact = {}  # (kind, name) -> value
        self.patterns = {}  # kind -> [(prefix, value)]
        self.required = []  # (kind, name) that the grammar should have
        self.used = set()
        heading = None
        with open(path, encoding="utf-8") as file:
            for count, line in enumerate(file, 1):
                line = line.split("#")[0].rstrip()
                if not line:
                    continue
                if line[0] != " ":
                    if ":" not in line:
                        fail(f"{path}:{count}: expected 'heading: names'")
                    text, line = line.split(":", 1)
                    heading = self.parse_heading(text, count)
                if heading is None:
                    fail(f"{path}:{count}: names without a heading")
                for name in line.split():
                    self.add(*heading, name, count)

    def parse_heading(self, text, count):
        words = text.split()
        effects = lambda flags: sum(self.effect(flag, count) for flag in flags.split("|"))
        if words == ["extensions"]:
            return "extensions", True
        if words[0] == "class" and len(words) == 2 and words[1] in CLASSES:
            return "class", words[1]
        if words[0] == "effects" and len(words) == 2:
            return "effects", (effects(words[1]), False)
        if words[0] == "cost" and len(words) == 2 and words[1] in COSTS:
            return "cost", words[1]
        if words[0] == "ext-cost" and len(words) == 4 and words[2] == "/" and words[3] in COSTS:
            return f"cost of {words[1]}", words[3]
        if words == ["speculatable"]:
            return "effects", (0, True)
        if words[0] == "ext-effects" and len(words) == 4 and words[2] == "/":
            return words[1], (effects(words[3]), False)
        if words[0] == "ext-speculatable" and len(words) == 2:
            return words[1], (0, True)
        fail(f"{self.path}:{count}: unknown heading '{text}'")

    def effect(self, flag, count):
        if flag not in EFFECTS:
            fail(f"{self.path}:{count}: unknown effect '{flag}'; one of {', '.join(EFFECTS)}")
        return EFFECTS[flag]

    def add(self, kind, value, name, count):
        if name.endswith("*"):
            if kind == "effects" or kind == "cost":
                fail(f"{self.path}:{count}: {name}: effects are of opcodes that somebody has read, not of names")
            self.patterns.setdefault(kind, []).append((name[:-1], value))
            return
        optional = name.startswith("?")
        name = name.lstrip("?")
        if (kind, name) in self.exact:
            fail(f"{self.path}:{count}: {name} is named twice")
        self.exact[kind, name] = value
        if not optional:
            self.required.append((kind, name))

    def find(self, kind, names, default):
        for name in names:
            if (kind, name) in self.exact:
                self.used.update((kind, other) for other in names)
                return self.exact[kind, name]
        matches = [(len(prefix), value) for prefix, value in self.patterns.get(kind, ())
                   if any(name.startswith(prefix) for name in names)]
        return max(matches, key=lambda match: match[0])[1] if matches else default

    def warn_unused(self):
        for kind, name in self.required:
            if (kind, name) not in self.used:
                print(f"{self.path}: warning: the grammar has no {name}; misspelt, or gone", file=sys.stderr)


class Kinds:
    """The enumerations of one grammar, and those of the core behind them."""

    def __init__(self, table, grammar, parent=None):
        self.table, self.scope, self.parent = table, grammar.name, parent
        self.kinds = {kind.name: kind for kind in grammar.kinds}

    def operands(self, entry):
        """[(kind, quantifier, enum index)] of an opcode, an instruction or an enumerant."""
        return [self.operand(*operand) for operand in entry.operands]

    def operand(self, name, quantifier):
        owner = self
        while owner and name not in owner.kinds:
            owner = owner.parent
        if owner:
            kind = owner.kinds[name]
            return "BitEnum" if kind.is_bits else "ValueEnum", QUANTIFIERS[quantifier], self.table.enumeration(owner, kind)
        if name not in LEAVES:
            fail(f"operand kind {name} is new; teach opcode_facts.h")
        return LEAVES[name], QUANTIFIERS[quantifier], 0


class Table:
    """What is written: pools of operands and enumerants, and what points into them."""

    def __init__(self, capabilities):
        self.capability_numbers = capabilities  # by name
        self.operands = []  # C++ initializers
        self.operand_runs = {}
        self.enums = {}  # (scope, kind name) -> index
        self.enum_rows = []  # per index: list of (value, run), or None while being built
        self.enum_names = []  # per index: list of (value, name, requirements)
        self.enum_has_ids = []  # per index: whether ids may follow an enumerant (True while being built)
        self.capabilities, self.extensions = Pool(), Pool()
        self.requirement_rows = {(0, 0, 0, 0, 0, NO_VERSION): 0}  # row 0 asks for nothing

    def run(self, operands):
        """(first, count) of a list of operands in the pool."""
        key = tuple(operands)
        if key not in self.operand_runs:
            self.operand_runs[key] = (len(self.operands), len(key)) if key else (0, 0)
            self.operands += [f"{{OperandKind::{kind}, Quantifier::{quantifier}, {index}}}"
                              for kind, quantifier, index in key]
        return self.operand_runs[key]

    def enumeration(self, kinds, kind):
        key = (kinds.scope, kind.name)
        if key not in self.enums:
            index = self.enums[key] = len(self.enum_rows)
            if index > 255:
                fail("more than 256 enumerations; widen OperandFacts::enumIndex")
            self.enum_rows.append(None)
            self.enum_names.append([])
            self.enum_has_ids.append(True)
            rows, has_ids = [], False
            for entry in sorted(kind.entries, key=lambda e: e.value):
                self.enum_names[index] += [(entry.value, name, self.requirements(entry)) for name in entry.names]
                if kind.is_bits and (entry.value == 0 or entry.value & (entry.value - 1)):
                    continue  # None, or a name for several bits: nothing follows
                operands = kinds.operands(entry)
                rows.append((entry.value, self.run(operands)))
                has_ids = has_ids or any(self.may_hold_id(operand) for operand in operands)
            self.enum_rows[index], self.enum_has_ids[index] = rows, has_ids
        return self.enums[key]

    def may_hold_id(self, operand):
        kind, _, index = operand
        return self.enum_has_ids[index] if kind.endswith("Enum") else kind not in IDLESS

    def requirements(self, entry):
        """Row of what a module must declare to have the entry."""
        capabilities = self.capabilities.run(self.capability_numbers[name] for name in entry.capabilities)
        extensions = self.extensions.run(f'"{name}"' for name in entry.extensions)
        first = NO_VERSION if entry.first == "-" else 0 if entry.first == "1.0" else version_word(entry.first)
        last = version_word(entry.last) if entry.last else NO_VERSION
        return self.requirement_rows.setdefault((*capabilities, *extensions, first, last), len(self.requirement_rows))


class Pool:
    """Runs of values in one array."""

    def __init__(self):
        self.values, self.runs = [], {}

    def run(self, values):
        key = tuple(values)
        if key not in self.runs:
            self.runs[key] = (len(self.values), len(key)) if key else (0, 0)
            self.values += key
        return self.runs[key]


def version_word(text):
    major, minor = map(int, text.split("."))
    return major << 16 | minor << 8


def word_limits(operands):
    """Fewest and most words, the first included, that an instruction with these operands can have."""
    least, most = 1, 1
    for kind, quantifier, _ in operands:
        words = 2 if kind.startswith("Pair") else 1
        if quantifier == "One":
            least += words
        fixed = kind in ("Id", "Literal", "Float", "ResultType", "Result", "PairIdId", "PairIdLiteral")
        most = UNLIMITED if quantifier == "Any" or not fixed or most == UNLIMITED else most + words
    return least, most


def collect_opcodes(grammar, table, kinds, rules):
    rows = []
    for entry in sorted(grammar.entries, key=lambda e: e.value):
        names = entry.names
        operands = kinds.operands(entry)
        op_class = rules.find("class", names, "Value")
        effects, speculatable = rules.find(
            "effects", names, (0 if op_class in INERT_CLASSES else ALL_EFFECTS, False))
        operand_kinds = [kind for kind, _, _ in operands]
        rest = [kind for kind in operand_kinds if kind not in ("ResultType", "Result")]
        if "Result" in operand_kinds[2:] or "ResultType" in operand_kinds[1:]:
            fail(f"{names[0]} has its result behind other operands; teach module.h")
        least, most = word_limits(operands)
        behind = operands[len(operands) - len(rest):]
        leading = next((n for n, operand in enumerate(behind) if operand[:2] != ("Id", "One")), len(behind))
        rows.append({
            "opcode": entry.value, "names": names, "class": op_class, "effects": effects,
            "has_result": "Result" in operand_kinds, "has_type": "ResultType" in operand_kinds,
            "speculatable": speculatable, "cost": rules.find("cost", names, "Simple"),
            "leading_ids": leading, "ids_behind": any(map(table.may_hold_id, behind[leading:])),
            "only_ids": all(kind in ("Id", "PairIdId") for kind in rest), "least": least, "most": most,
            "run": table.run(operands), "requirements": table.requirements(entry)})
    return rows


def collect_ext_insts(grammars, table, core, rules):
    sets = []
    for grammar in grammars:
        if grammar.name not in EXT_SETS:
            fail(f"the set {grammar.name} is new; name it in EXT_SETS and in opcode_facts.h")
        name = EXT_SETS[grammar.name]
        kinds = Kinds(table, grammar, core)
        is_semantic = not grammar.name.startswith("NonSemantic.")
        rows = {}
        for entry in grammar.entries:
            # Of what is not semantic every operand is an id, and a later version may add some.
            operands = kinds.operands(entry) if is_semantic else [("Id", "Any", 0)]
            default = (ALL_EFFECTS, False) if is_semantic else (0, False)
            effects, speculatable = rules.find(name, entry.names, default)
            cost = rules.find(f"cost of {name}", entry.names, "Simple" if is_semantic else "Free")
            rows[entry.value] = (entry.name, effects, speculatable, cost, table.run(operands))
        sets.append((name, grammar.name, rows))
    return sets


def bool_text(value):
    return "true" if value else "false"


def span_text(run):
    return f"{{kOperands + {run[0]}, {run[1]}}}" if run[1] else "{}"


def write_array(out, declaration, rows):
    out.append(f"{declaration} = {{")
    out += [f"    {row}," for row in rows]
    out.append("};")


def write_opcodes(out, opcodes):
    # Row 0 is the opcode that the table does not know.
    rows = ['{spv::Op(0xFFFF), "unknown opcode", OpClass::Unknown, Effect(%d), false, false, false, '
            "CostClass::Simple, false, 0, true, 1, 0x%X, {}}" % (ALL_EFFECTS, UNLIMITED)]
    rows += [
        f"{{spv::Op({o['opcode']}), \"{o['names'][0]}\", OpClass::{o['class']}, Effect({o['effects']}), "
        f"{bool_text(o['has_result'])}, {bool_text(o['has_type'])}, {bool_text(o['speculatable'])}, "
        f"CostClass::{o['cost']}, {bool_text(o['only_ids'])}, {o['leading_ids']}, {bool_text(o['ids_behind'])}, "
        f"{o['least']}, {o['most']}, {span_text(o['run'])}}}"
        for o in opcodes]
    write_array(out, "constexpr OpcodeFacts kOpcodes[]", rows)
    write_array(out, "constexpr uint16_t kOpcodeRequirements[]", [0] + [o["requirements"] for o in opcodes])
    named = sorted((name, row) for row, o in enumerate(opcodes, 1) for name in o["names"])
    write_array(out, "constexpr OpcodeName kOpcodesByName[]", [f'{{"{name}", {row}}}' for name, row in named])

    # Opcodes are looked up through pages of 64; page 0 is the empty one.
    pages = [[0] * 64]
    page_of = [0] * 1024
    for row, opcode in enumerate(opcodes, 1):
        page = opcode["opcode"] >> 6
        if not page_of[page]:
            page_of[page] = len(pages)
            pages.append([0] * 64)
        pages[page_of[page]][opcode["opcode"] & 63] = row
    if len(pages) > 255:
        fail("more than 255 pages of opcodes; widen kOpcodePage")
    write_array(out, "constexpr uint8_t kOpcodePage[1024]",
                [", ".join(map(str, page_of[i:i + 32])) for i in range(0, 1024, 32)])
    write_array(out, f"constexpr uint16_t kOpcodeRow[{len(pages)}][64]",
                ["{" + ", ".join(map(str, page)) + "}" for page in pages])


def write_enumerations(out, table):
    enumerants, ranges, names, name_ranges = [], [], [], []
    for row, named in zip(table.enum_rows, table.enum_names):
        ranges.append(f"{{{len(enumerants)}, {len(row)}}}")
        enumerants += [f"{{{value:#x}, {run[0]}, {run[1]}}}" for value, run in row]
        name_ranges.append(f"{{{len(names)}, {len(named)}}}")
        names += [f'{{{value:#x}, {requirements}, "{name}"}}' for value, name, requirements in named]
    write_array(out, "constexpr Enumerant kEnumerants[]", enumerants)
    write_array(out, "constexpr Enumeration kEnumerations[]", ranges)
    write_array(out, "constexpr EnumerantName kEnumerantNames[]", names)
    write_array(out, "constexpr Enumeration kEnumerationNames[]", name_ranges)
    out += [f"constexpr uint8_t k{name}Enum = {table.enums['', name]};" for name in NAMED_ENUMS]


def write_requirements(out, table, extensions):
    write_array(out, "constexpr spv::Capability kRequiredCapabilities[]",
                [f"spv::Capability({value})" for value in table.capabilities.values])
    write_array(out, "constexpr std::string_view kRequiredExtensions[]", table.extensions.values)
    rows = [f"{{{{kRequiredCapabilities + {c}, {cs}}}, {{kRequiredExtensions + {e}, {es}}}, {first:#x}, {last:#x}}}"
            for c, cs, e, es, first, last in table.requirement_rows]
    write_array(out, "constexpr Requirements kRequirements[]", rows)
    write_array(out, "constexpr std::string_view kKnownExtensions[]", [f'"{name}"' for name in sorted(extensions)])


def write_ext_insts(out, ext_sets):
    for name, _, instructions in ext_sets:
        rows = []
        for value in range(max(instructions) + 1):
            if value in instructions:
                text, effects, speculatable, cost, run = instructions[value]
                rows.append(f'{{true, "{text}", Effect({effects}), {bool_text(speculatable)}, '
                            f'CostClass::{cost}, {span_text(run)}}}')
            else:
                rows.append(f'{{false, "", Effect({ALL_EFFECTS}), false, CostClass::Simple, {{}}}}')
        write_array(out, f"constexpr ExtInstFacts k{name}[]", rows)
    rows = []
    for name, spelled, _ in ext_sets:
        is_prefix = spelled.endswith("*")
        rows.append(f'{{"{spelled.rstrip("*")}", {bool_text(is_prefix)}, ExtInstSet::{name}, k{name}}}')
    write_array(out, "constexpr ExtInstTable kExtInstSets[]", rows)


def render_tables(title, opcodes, ext_sets, table, extensions):
    out = [f"// Generated from the grammar of SPIR-V {title} by generate_opcode_facts.py. Do not edit."]
    out.append(f'constexpr std::string_view kGrammarVersion = "{title}";')
    write_array(out, "constexpr OperandFacts kOperands[]", table.operands)
    write_opcodes(out, opcodes)
    write_enumerations(out, table)
    write_requirements(out, table, extensions)
    write_ext_insts(out, ext_sets)
    return "\n".join(out) + "\n"


def render_constants(core):
    out = [f"// Generated from the grammar of SPIR-V {core.title} by generate_opcode_facts.py. Do not edit.",
           "//",
           "// Opcodes and enumerants that installed headers may be too old for: newer::Op::OpTypeTensorARM. What every",
           "// spirv.hpp11 has is better written with that.",
           "#pragma once", "", "#include <cstdint>", "#include <spirv/unified1/spirv.hpp11>", "",
           "namespace lanewise::newer {"]
    groups = [("Op", "spv::Op", core.entries)]
    groups += [(kind.name, f"spv::{kind.name}" if kind.name in TYPED_ENUMS else "uint32_t", kind.entries)
               for kind in core.kinds]
    for name, type_name, entries in groups:
        out.append(f"namespace {name} {{")
        for entry in entries:
            safe = [n if n[0].isalpha() else name + n for n in entry.names]
            out += [f"inline constexpr {type_name} {n}{{{type_name}({entry.value:#x})}};" for n in safe]
        out.append(f"}} // namespace {name}")
    out.append("} // namespace lanewise::newer")
    return "\n".join(out) + "\n"


def write(path, text):
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def all_entries(grammar):
    yield from grammar.entries
    for kind in grammar.kinds:
        yield from kind.entries


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--grammar-dir", required=True, help="directory with core.grammar and extended.grammar")
    parser.add_argument("--effects", required=True, help="opcode_effects.def")
    parser.add_argument("--output", required=True, help="file of tables to write")
    parser.add_argument("--constants", required=True, help="header to write")
    args = parser.parse_args()
    try:
        (core,) = grammar_text.parse(os.path.join(args.grammar_dir, "core.grammar"))[1]
        sets = grammar_text.parse(os.path.join(args.grammar_dir, "extended.grammar"))[1]
    except (OSError, ValueError, grammar_text.GrammarError) as error:
        fail(error)
    rules = Rules(args.effects)
    (capabilities,) = [kind for kind in core.kinds if kind.name == "Capability"]
    table = Table({name: entry.value for entry in capabilities.entries for name in entry.names})
    kinds = Kinds(table, core)
    opcodes = collect_opcodes(core, table, kinds, rules)
    ext_sets = collect_ext_insts(sets, table, kinds, rules)
    extensions = {name for entry in all_entries(core) for name in entry.extensions}
    extensions |= {name for kind, name in rules.exact if kind == "extensions"}
    rules.used |= {(kind, name) for kind, name in rules.exact if kind == "extensions"}
    rules.warn_unused()
    write(args.output, render_tables(core.title, opcodes, ext_sets, table, extensions))
    write(args.constants, render_constants(core))


if __name__ == "__main__":
    main()
