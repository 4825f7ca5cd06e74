"""The kernels with which utils/kernels/costs measures, as GLSL.

All have the same frame: 256 invocations in a workgroup, four values (`chains`) in registers that start from data,
a loop of `rounds` turns round a body, and one word of output in which all four values end. Bodies are made so that
no compiler may shorten them: additions alternate with exclusive ors and subtractions, which do not associate, and
the operands change from step to step.
"""

from dataclasses import dataclass

CHAINS = 4

FRAME = """#version 450
{extensions}
layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) readonly restrict buffer Source {{ uint source[]; }};
layout(set = 0, binding = 1, std430) writeonly restrict buffer Target {{ uint target[]; }};
layout(set = 0, binding = 2, std430) readonly restrict buffer Words {{ uint words[]; }};
layout(push_constant) uniform Constants {{ uint rounds; uint mask; }};
{declarations}
void main() {{
  uint invocation = gl_GlobalInvocationID.x;
  uint seed = source[invocation];
  uint word = words[invocation & mask];
{start}
  for (uint r = 0; r < rounds; ++r) {{
{body}
  }}
  target[invocation] = word ^ {end};
}}
"""


@dataclass(frozen=True)
class ValueType:
    """How the four values start, and how one becomes a word at the end. {n}: number of the value, {v}: the value."""
    name: str
    start: str
    end: str
    extensions: str = ""


UINT = ValueType("uint", "seed * {n}u | 1u", "{v}")
FLOAT = ValueType("float", "1.0 + float(seed + {n}u) * 1e-8", "floatBitsToUint({v})")
DOUBLE = ValueType("double", "1.0 + double(seed + {n}u) * 1e-8", "unpackDouble2x32({v}).x")
UINT64 = ValueType("uint64_t", "uint64_t(seed) * {n}ul | 1ul", "uint({v} >> 16)",
                   "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require")
# An index of a table in which each word is its own index: all lanes of a subgroup read one row of it.
INDEX = ValueType("uint", "{n}u * 256u + gl_LocalInvocationIndex & 1023u", "{v}")


@dataclass(frozen=True)
class Operation:
    """A class of operations: what one step does to the value {a}, where {b} and {c} are the next ones."""
    key: str  # of the row
    title: str
    type: ValueType
    steps: tuple  # taken in turn, one for each group of four
    count: int = 1  # how many of the operation a step has
    extra: float = 0  # integer operations that a step has beside them
    length: int = 64  # steps of the short body; the long one has twice as many
    globals: str = ""
    locals: str = ""
    prologue: str = ""  # stands before each group of four steps


OPERATIONS = (
    Operation("integer", "integer add, logic (32 bits)", UINT, ("{a} += {b};", "{a} ^= {b};")),
    Operation("multiply", "integer multiply", UINT, ("{a} *= {b};",)),
    Operation("shift", "shift by a value", UINT, ("{a} = ({a} << ({b} >> 27)) ^ {c};",), count=2, extra=1),
    Operation("select", "select", UINT, ("{a} = mix({b}, {c}, choice);",), extra=0.5,
              prologue="choice = {a} < {b}; {d} += {a};", locals="bool choice;"),
    Operation("integer-divide", "integer divide", UINT, ("{a} = ({a} / {b}) | seed;",), extra=1, length=8),
    Operation("float-add", "float add, subtract", FLOAT, ("{a} += {b};", "{a} -= {b};")),
    Operation("float-multiply", "float multiply", FLOAT, ("{a} *= {b};",)),
    Operation("float-fma", "float fma", FLOAT, ("{a} = fma({a}, {b}, {c});",)),
    Operation("divide", "float divide", FLOAT, ("{a} = {a} / {b};",), length=16),
    Operation("sqrt", "sqrt", FLOAT, ("{a} = sqrt({a});",), length=16),
    Operation("inversesqrt", "inversesqrt", FLOAT, ("{a} = inversesqrt({a});",), length=16),
    Operation("exp2", "exp2", FLOAT, ("{a} = exp2(-{a});",), length=16),
    Operation("log2", "log2", FLOAT, ("{a} = log2(abs({a}));",), length=16),
    Operation("sin", "sin", FLOAT, ("{a} = sin({a});",), length=16),
    Operation("cos", "cos", FLOAT, ("{a} = cos({a});",), length=16),
    Operation("pow", "pow", FLOAT, ("{a} = pow(abs({a}), {b});",), length=8),
    Operation("to-float", "integer to float", UINT, ("{a} = floatBitsToUint(float({a}));",), length=32),
    Operation("from-float", "float to integer", UINT, ("{a} = uint(uintBitsToFloat({a}));",), length=32),
    Operation("double-add", "double add, subtract", DOUBLE, ("{a} += {b};", "{a} -= {b};"), length=16),
    Operation("double-multiply", "double multiply", DOUBLE, ("{a} *= {b};",), length=16),
    Operation("double-fma", "double fma", DOUBLE, ("{a} = fma({a}, {b}, {c});",), length=16),
    Operation("integer64", "integer add, logic (64 bits)", UINT64, ("{a} += {b};", "{a} ^= {b};"), length=32),
    Operation("multiply64", "integer multiply (64 bits)", UINT64, ("{a} *= {b};",), length=16),
    Operation("shared-load", "load from Workgroup memory", INDEX, ("{a} = tile[{a}];",), length=32,
              globals="shared uint tile[1024];"),
    Operation("buffer-load", "load from a buffer, cached", INDEX, ("{a} = table[{a}];",), length=32,
              globals="layout(set = 0, binding = 3, std430) readonly restrict buffer Table { uint table[]; };"),
)

FILL_TILE = (
    "for (uint i = gl_LocalInvocationIndex; i < 1024; i += 256) tile[i] = i;",
    "barrier();")


def frame(value_type, body, global_lines="", locals=(), indent="    "):
    """The whole kernel round a body, which is a list of lines."""
    names = [f"x{i}" for i in range(CHAINS)]
    start = [f"{value_type.name} {name} = {value_type.start.format(n=i + 1)};" for i, name in enumerate(names)]
    return FRAME.format(
        extensions=value_type.extensions,
        declarations=global_lines,
        start="\n".join("  " + line for line in (*start, *locals)),
        body="\n".join(indent + line for line in body),
        end=" ^ ".join(value_type.end.format(v=name) for name in names))


def operation_kernel(operation, length):
    """`length` steps of an operation, on four values in turn."""
    body = []
    for step in range(length):
        first = step % CHAINS
        names = {letter: f"x{(first + i) % CHAINS}" for i, letter in enumerate("abcd")}
        if first == 0 and operation.prologue:
            body.append(operation.prologue.format(**names))
        body.append(operation.steps[step // CHAINS % len(operation.steps)].format(**names))
    fill = FILL_TILE if operation.globals.startswith("shared") else ()
    return frame(operation.type, body, operation.globals, (operation.locals, *fill))


# ---- branches ----


def arm(length, kind):
    """`length` integer operations on x0 alone, each on the one before it; the kinds share no operation."""
    operators = {"then": "+^", "else": "-|"}[kind]
    return [f"x0 {operators[i % 2]}= x{1 + (i + (kind == 'else')) % 3};" for i in range(length)]


# Between two turns the other values move on, so that no arm is the same twice.
MOVE_ON = ["x1 += x0;", "x2 ^= x1;", "x3 += x2;"]
BIT = "uint bit = (word >> (r & 31u)) & 1u;"


def block(lines):
    return ["{", *("  " + line for line in lines), "}"]


def branch_kernel(length, is_diamond):
    """One bit of the word decides: an arm, or (in a diamond) another one."""
    body = [BIT, "if (bit != 0u)", *block(arm(length, "then"))]
    if is_diamond:
        body += ["else", *block(arm(length, "else"))]
    return frame(UINT, body + MOVE_ON)


def select_kernel(length, is_diamond):
    """The same as branch_kernel, without a branch."""
    body = [BIT, "uint before = x0;", *arm(length, "then"), "uint taken = x0;", "x0 = before;"]
    if is_diamond:
        body += arm(length, "else")
    return frame(UINT, body + ["x0 = mix(x0, taken, bit != 0u);"] + MOVE_ON)


def straight_kernel(length, kinds):
    """The arms of these kinds one after the other, always; the bit is used, as by a condition."""
    body = [BIT, "x0 += bit;"]
    for kind in kinds:
        body += arm(length, kind)
    return frame(UINT, body + MOVE_ON)
