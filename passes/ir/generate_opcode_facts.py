#!/usr/bin/env python3
"""Writes the table of opcode facts, a C++ fragment that opcode_facts.cpp includes, from the grammar files of
SPIRV-Headers and from opcode_effects.def. Copes with the headers of 1.3.239 and later: aliases as separate
instructions or as an `aliases` field, values as numbers or strings, sets that it does not know."""

import argparse
import json
import os
import sys

EFFECTS = {"None": 0, "ReadsMemory": 1, "WritesMemory": 2, "Atomic": 4, "Barrier": 8, "Subgroup": 16,
           "Control": 32, "MayTrapOrUndef": 64}
ALL_EFFECTS = 127
CLASSES = ["Preamble", "Debug", "Line", "Annotation", "Type", "Constant", "Variable", "Function", "Label",
           "Merge", "Terminator", "Value"]
COSTS = ["Simple", "Free", "Multiply", "Convert", "Divide", "IntegerDivide", "Special", "Transcendental", "Load"]
# Instructions of these classes are declarations: executing them means nothing.
INERT_CLASSES = {"Preamble", "Debug", "Line", "Annotation", "Type", "Constant", "Function", "Label", "Merge"}
LITERALS = {"LiteralInteger": "Literal", "LiteralFloat": "Literal", "LiteralString": "String",
            "LiteralContextDependentNumber": "ContextNumber", "LiteralExtInstInteger": "ExtInst",
            "LiteralSpecConstantOpInteger": "SpecOp"}
COMPOSITES = {("LiteralInteger", "IdRef"): "PairLiteralId", ("IdRef", "LiteralInteger"): "PairIdLiteral",
              ("IdRef", "IdRef"): "PairIdId"}
QUANTIFIERS = {"": "One", "?": "Optional", "*": "Any"}
# The sets whose operands are not all ids, or of whose instructions we want the effects.
EXT_SETS = [("GlslStd450", "extinst.glsl.std.450.grammar.json"),
            ("OpenClStd", "extinst.opencl.std.100.grammar.json"),
            ("OpenClDebugInfo100", "extinst.opencl.debuginfo.100.grammar.json"),
            ("DebugInfo", "extinst.debuginfo.grammar.json")]
# The enumerations whose names are kept: what people read of a module.
NAMED_ENUMS = ["BuiltIn", "Capability", "ExecutionMode"]
UNLIMITED = 0xFFFF


def fail(message):
    sys.exit(f"generate_opcode_facts.py: {message}")


def load(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError) as error:
        fail(f"{path}: {error}; install or update SPIRV-Headers")


def number(value):
    return int(value, 0) if isinstance(value, str) else value


def vendor_rank(name):
    """Of several names for one number, the core one goes first."""
    for rank, suffix in enumerate(("KHR", "EXT"), 1):
        if name.endswith(suffix):
            return rank
    known = ("AMD", "ARM", "GOOGLE", "IMG", "INTEL", "NV", "QCOM", "HUAWEI", "NVX", "ALTERA", "VALVE")
    return 3 if name.endswith(known) else 0


class Rules:
    """opcode_effects.def: for each heading ("class Type", "speculatable"), the names listed below it."""

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
    """operand_kinds of one grammar file, and those of the core grammar behind it."""

    def __init__(self, table, grammar, scope, parent=None):
        self.table, self.scope, self.parent = table, scope, parent
        self.kinds = {kind["kind"]: kind for kind in grammar.get("operand_kinds", ())}

    def operand(self, operand, quantifier=None):
        """(kind, quantifier, enum index) of an operand or of an enumerant's parameter."""
        name = operand["kind"]
        quantifier = QUANTIFIERS.get(operand.get("quantifier", "") if quantifier is None else quantifier)
        if quantifier is None:
            fail(f"unknown quantifier in {operand}; opcode_facts.h has no word for it")
        owner = self
        while name not in owner.kinds:
            owner = owner.parent
            if owner is None:
                if name in LITERALS or name.startswith("Id"):
                    return self.leaf(name), quantifier, 0
                fail(f"operand kind {name} is not declared in the grammar")
        kind = owner.kinds[name]
        category = kind["category"]
        if category == "Id" or category == "Literal":
            return self.leaf(name), quantifier, 0
        if category == "Composite":
            bases = tuple("IdRef" if base.startswith("Id") else base for base in kind["bases"])
            if bases not in COMPOSITES:
                fail(f"composite operand kind {name} = {bases} is new; teach opcode_facts.h")
            return COMPOSITES[bases], quantifier, 0
        if category in ("ValueEnum", "BitEnum"):
            return category, quantifier, self.table.enumeration(owner, kind)
        fail(f"category {category} of operand kind {name} is new; teach opcode_facts.h")

    @staticmethod
    def leaf(name):
        if name in ("IdResultType", "IdResult"):
            return {"IdResultType": "ResultType", "IdResult": "Result"}[name]
        if name.startswith("Id"):
            return "Id"
        if name not in LITERALS:
            fail(f"literal operand kind {name} is new; teach opcode_facts.h")
        return LITERALS[name]


class Table:
    """What is written: pools of operands and enumerants, and what points into them."""

    def __init__(self):
        self.operands = []  # C++ initializers
        self.operand_runs = {}
        self.enums = {}  # (scope, kind name) -> index
        self.enum_rows = []  # per index: list of (value, run), or None while being built

    def run(self, operands):
        """(first, count) of a list of operands in the pool."""
        key = tuple(operands)
        if key not in self.operand_runs:
            self.operand_runs[key] = (len(self.operands), len(key)) if key else (0, 0)
            self.operands += [f"{{OperandKind::{kind}, Quantifier::{quantifier}, {index}}}"
                              for kind, quantifier, index in key]
        return self.operand_runs[key]

    def enumeration(self, kinds, kind):
        key = (kinds.scope, kind["kind"])
        if key not in self.enums:
            self.enums[key] = len(self.enum_rows)
            if len(self.enum_rows) > 255:
                fail("more than 256 enumerations; widen OperandFacts::enumIndex")
            self.enum_rows.append(None)
            rows = {}
            for enumerant in kind.get("enumerants", ()):
                value = number(enumerant["value"])
                parameters = [kinds.operand(p) for p in enumerant.get("parameters", ())]
                if kind["category"] == "BitEnum" and (value == 0 or value & (value - 1)):
                    continue  # None, or a name for several bits
                if value not in rows or len(parameters) > len(rows[value]):
                    rows[value] = parameters
            self.enum_rows[self.enums[key]] = [(value, self.run(rows[value])) for value in sorted(rows)]
        return self.enums[key]


def word_limits(operands):
    """Fewest and most words, the first included, that an instruction with these operands can have."""
    least, most = 1, 1
    for kind, quantifier, _ in operands:
        words = 2 if kind.startswith("Pair") else 1
        if quantifier == "One":
            least += words
        fixed = kind in ("Id", "Literal", "ResultType", "Result", "PairIdId", "PairIdLiteral")
        most = UNLIMITED if quantifier == "Any" or not fixed or most == UNLIMITED else most + words
    return least, most


def collect_opcodes(grammar, table, kinds, rules):
    by_number = {}
    for instruction in grammar["instructions"]:
        by_number.setdefault(instruction["opcode"], []).append(instruction)
    rows = []
    for opcode in sorted(by_number):
        same = sorted(by_number[opcode], key=lambda i: vendor_rank(i["opname"]))
        names = [name for i in same for name in [i["opname"], *i.get("aliases", ())]]
        operands = [kinds.operand(o) for o in same[0].get("operands", ())]
        op_class = rules.find("class", names, "Value")
        effects, speculatable = rules.find(
            "effects", names, (0 if op_class in INERT_CLASSES else ALL_EFFECTS, False))
        operand_kinds = [kind for kind, _, _ in operands]
        rest = [kind for kind in operand_kinds if kind not in ("ResultType", "Result")]
        if "Result" in operand_kinds[2:] or "ResultType" in operand_kinds[1:]:
            fail(f"{names[0]} has its result behind other operands; teach module.h")
        least, most = word_limits(operands)
        rows.append({
            "opcode": opcode, "name": names[0], "class": op_class, "effects": effects,
            "has_result": "Result" in operand_kinds, "has_type": "ResultType" in operand_kinds,
            "speculatable": speculatable, "cost": rules.find("cost", names, "Simple"),
            "only_ids": all(kind in ("Id", "PairIdId") for kind in rest), "least": least, "most": most, "run": table.run(operands)})
    return rows


def collect_ext_insts(directory, table, core, rules):
    sets = []
    for name, file in EXT_SETS:
        grammar = load(os.path.join(directory, file))
        kinds = Kinds(table, grammar, name, core)
        rows = {}
        for instruction in grammar["instructions"]:
            operands = [kinds.operand(o) for o in instruction.get("operands", ())]
            names = [instruction["opname"], *instruction.get("aliases", ())]
            effects, speculatable = rules.find(name, names, (ALL_EFFECTS, False))
            cost = rules.find(f"cost of {name}", names, "Simple")
            rows[number(instruction["opcode"])] = (names[0], effects, speculatable, cost, table.run(operands))
        sets.append((name, rows))
    return sets


def collect_names(grammar):
    """For each of NAMED_ENUMS, [(value, name)] by value; of several names the core one."""
    enums = []
    for kind in grammar["operand_kinds"]:
        if kind["kind"] not in NAMED_ENUMS:
            continue
        names = {}
        for enumerant in kind["enumerants"]:
            names.setdefault(number(enumerant["value"]), []).append(enumerant["enumerant"])
        enums.append((kind["kind"], [(value, min(names[value], key=vendor_rank)) for value in sorted(names)]))
    return enums


def bool_text(value):
    return "true" if value else "false"


def span_text(run):
    return f"{{kOperands + {run[0]}, {run[1]}}}" if run[1] else "{}"


def write_array(out, declaration, rows):
    out.append(f"{declaration} = {{")
    out += [f"    {row}," for row in rows]
    out.append("};")


def render(grammar, opcodes, ext_sets, table, names):
    out = [f"// Generated from SPIRV-Headers {grammar['major_version']}.{grammar['minor_version']} revision "
           f"{grammar['revision']} by generate_opcode_facts.py. Do not edit."]
    write_array(out, "constexpr OperandFacts kOperands[]", table.operands)

    # Row 0 is the opcode that the table does not know.
    rows = ['{spv::Op(0xFFFF), "unknown opcode", OpClass::Unknown, Effect(%d), false, false, false, '
            "CostClass::Simple, false, 1, 0x%X, {}}" % (ALL_EFFECTS, UNLIMITED)]
    rows += [
        f"{{spv::Op({o['opcode']}), \"{o['name']}\", OpClass::{o['class']}, Effect({o['effects']}), "
        f"{bool_text(o['has_result'])}, {bool_text(o['has_type'])}, {bool_text(o['speculatable'])}, "
        f"CostClass::{o['cost']}, {bool_text(o['only_ids'])}, {o['least']}, {o['most']}, {span_text(o['run'])}}}" for o in opcodes]
    write_array(out, "constexpr OpcodeFacts kOpcodes[]", rows)

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

    enumerants, ranges = [], []
    for row in table.enum_rows:
        ranges.append(f"{{{len(enumerants)}, {len(row)}}}")
        enumerants += [f"{{{value:#x}, {run[0]}, {run[1]}}}" for value, run in row]
    write_array(out, "constexpr Enumerant kEnumerants[]", enumerants)
    write_array(out, "constexpr Enumeration kEnumerations[]", ranges)

    for name, rows in names:
        write_array(out, f"constexpr EnumerantName k{name}Names[]", [f'{{{value}, "{text}"}}' for value, text in rows])

    for name, instructions in ext_sets:
        rows = []
        for value in range(max(instructions) + 1):
            if value in instructions:
                text, effects, speculatable, cost, run = instructions[value]
                rows.append(f'{{true, "{text}", Effect({effects}), {bool_text(speculatable)}, '
                            f'CostClass::{cost}, {span_text(run)}}}')
            else:
                rows.append(f'{{false, "", Effect({ALL_EFFECTS}), false, CostClass::Simple, {{}}}}')
        write_array(out, f"constexpr ExtInstFacts k{name}[]", rows)
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--grammar-dir", required=True, help="directory with spirv.core.grammar.json")
    parser.add_argument("--effects", required=True, help="opcode_effects.def")
    parser.add_argument("--output", required=True, help="file to write")
    args = parser.parse_args()

    grammar = load(os.path.join(args.grammar_dir, "spirv.core.grammar.json"))
    rules = Rules(args.effects)
    table = Table()
    core = Kinds(table, grammar, "core")
    opcodes = collect_opcodes(grammar, table, core, rules)
    ext_sets = collect_ext_insts(args.grammar_dir, table, core, rules)
    rules.warn_unused()

    os.makedirs(os.path.dirname(os.path.abspath(args.output)), exist_ok=True)
    with open(args.output, "w", encoding="utf-8") as file:
        file.write(render(grammar, opcodes, ext_sets, table, collect_names(grammar)))


if __name__ == "__main__":
    main()
