"""The text in which the grammar of SPIR-V is kept (core.grammar, extended.grammar): one line an opcode, an enumerant
or an instruction of an extended set, so that an update reads as a diff. render() writes it, parse() reads it.

    grammar 1.6 revision 7
    kind value FPEncoding                  an enumeration of values; `kind bits NAME` has one name a bit
      0 BFloat16KHR {BFloat16TypeKHR} @-
    op 61 OpLoad : IdResultType IdResult IdRef MemoryAccess?
    set GLSL.std.450                       what follows belongs to that set of extended instructions
    inst 1 Round : IdRef

A line is: number, name, `=ALIAS` for each other name, `: OPERANDS` with the quantifiers ? and *, `{CAPABILITIES}`,
`[EXTENSIONS]`, `@FIRST..LAST` the versions of SPIR-V that have it without those (`-`: none; without it all)."""

import re

ENTRY = re.compile(r"(?P<value>\S+) (?P<name>[^\s=]+)(?P<aliases>(?:=\S+)*)(?: :(?P<operands>(?: [\w.]+[?*]?)+))?"
                   r"(?: \{(?P<capabilities>[^}]*)\})?(?: \[(?P<extensions>[^\]]*)\])?(?: @(?P<versions>\S+))?")


class GrammarError(Exception):
    pass


class Entry:
    """An opcode, an enumerant or an extended instruction."""

    def __init__(self, value, name, aliases=(), operands=(), capabilities=(), extensions=(), first="1.0", last=None):
        self.value, self.name, self.aliases = value, name, list(aliases)
        self.operands = list(operands)  # (kind, quantifier: "", "?" or "*")
        self.capabilities, self.extensions = list(capabilities), list(extensions)
        self.first, self.last = first, last  # "1.3"; first "-": in no version by itself

    @property
    def names(self):
        return [self.name, *self.aliases]

    def text(self, is_bit=False):
        line = f"{self.value:#x} {self.name}" if is_bit else f"{self.value} {self.name}"
        line += "".join(f"={alias}" for alias in self.aliases)
        if self.operands:
            line += " : " + " ".join(kind + quantifier for kind, quantifier in self.operands)
        if self.capabilities:
            line += f" {{{' '.join(self.capabilities)}}}"
        if self.extensions:
            line += f" [{' '.join(self.extensions)}]"
        if self.first != "1.0" or self.last:
            line += f" @{self.first}" + (f"..{self.last}" if self.last else "")
        return line


class Kind:
    """An enumeration."""

    def __init__(self, name, is_bits):
        self.name, self.is_bits, self.entries = name, is_bits, []


class Grammar:
    """The core grammar, or one set of extended instructions."""

    def __init__(self, name):
        self.name = name  # of the set, as OpExtInstImport spells it; "" for the core
        self.title = ""  # the core's version and revision
        self.kinds, self.entries = [], []


def parse_entry(text, place):
    match = ENTRY.fullmatch(text)
    if not match:
        raise GrammarError(f"{place}: cannot read '{text}'")
    operands = [(o.rstrip("?*"), o[len(o.rstrip("?*")):]) for o in (match["operands"] or "").split()]
    first, _, last = (match["versions"] or "1.0").partition("..")
    return Entry(int(match["value"], 0), match["name"], match["aliases"].split("=")[1:], operands,
                 (match["capabilities"] or "").split(), (match["extensions"] or "").split(), first, last or None)


def parse(path):
    """(comment lines at the top, grammars) of a file."""
    comments, grammars = [], []
    kind = None
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line, place = line.rstrip("\n"), f"{path}:{number}"
            word, _, rest = line.strip().partition(" ")
            if line.startswith("#"):
                if grammars:
                    raise GrammarError(f"{place}: a comment behind the top")
                comments.append(line)
            elif not line:
                continue
            elif word == "grammar":
                grammars.append(Grammar(""))
                grammars[-1].title = rest
            elif word == "set":
                grammars.append(Grammar(rest))
                kind = None
            elif not grammars:
                raise GrammarError(f"{place}: expected 'grammar' or 'set' first")
            elif word == "kind":
                category, _, name = rest.partition(" ")
                if category not in ("value", "bits"):
                    raise GrammarError(f"{place}: expected 'kind value NAME' or 'kind bits NAME'")
                kind = Kind(name, category == "bits")
                grammars[-1].kinds.append(kind)
            elif line.startswith("  "):
                if kind is None:
                    raise GrammarError(f"{place}: an enumerant without its kind")
                kind.entries.append(parse_entry(line.strip(), place))
            elif word in ("op", "inst"):
                grammars[-1].entries.append(parse_entry(rest, place))
            else:
                raise GrammarError(f"{place}: cannot read '{line}'")
    return comments, grammars


def render(comments, grammars):
    lines = list(comments)
    for grammar in grammars:
        lines += ["", f"set {grammar.name}" if grammar.name else f"grammar {grammar.title}"]
        for kind in grammar.kinds:
            lines.append(f"kind {'bits' if kind.is_bits else 'value'} {kind.name}")
            lines += ["  " + entry.text(kind.is_bits) for entry in kind.entries]
        lines += [f"{'inst' if grammar.name else 'op'} {entry.text()}" for entry in grammar.entries]
    return "\n".join(lines) + "\n"
