// Random shaders full of branches, for tests that compare a module before and after a pass.
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <initializer_list>
#include <random>
#include <string>

namespace lanewise::test {

/// One shader for each seed: nested selections, switches, loops, a helper function, local arrays,
/// structs and vectors, some of them null at first and nested, shared memory. What branches guard
/// is undefined without them.
class RandomBranches {
public:
  explicit RandomBranches(uint32_t seed) : random_(seed) {}

  /// GLSL. Binding 0 holds the inputs (64 words), binding 1 the outputs (4 words an invocation),
  /// binding 2 is a uniform buffer of 8 words; 4 words of push constants.
  std::string text() {
    std::string body;
    const std::string helper = helperFunction();
    for (int n = 0; n < 4; ++n) body += block(0, false) + topStatement();
    return fmt::format(R"(#version 450
#extension GL_EXT_null_initializer : require
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer A {{ uint a[64]; }};
layout(binding = 1) buffer B {{ uint b[128]; }};
layout(binding = 2) uniform U {{ uvec4 u[2]; }};
layout(push_constant) uniform P {{ uint n[4]; }} p;
struct S {{ uint m; uvec2 k; }};
struct T {{ S one; S two[2]; uint e[2][2]; }};
T global = {{}};
shared uint tile[32];
{}
void main() {{
  uint g = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x;
  uint x = a[g], v0 = x, v1 = x * 7u, v2 = l, v3 = u[0].x;
  uvec4 q = uvec4(x, l, 3u, 5u);
  S s = S(x, uvec2(l, 9u));
  T local = {{}};
  uint t[8], w[4] = uint[4](1u, x, 3u, l);
  for (uint k = 0u; k < 8u; ++k) t[k] = k * x;
  for (uint i = 0u; i < {}u; ++i) {{
{}  }}
  b[g * 4u] ^= v0 + v1 * 3u;
  b[g * 4u + 1u] ^= v2 + v3 * 5u;
  b[g * 4u + 2u] ^= w[0] + w[1] + w[2] * w[3] + s.m + s.k.x * s.k.y;
  b[g * 4u + 3u] ^= q.x + q.y * 3u + q.z * 5u + q.w * 7u + local.two[1].m + local.e[0][1];
}}
)",
                       helper, 1 + draw(2), body);
  }

private:
  uint32_t draw(uint32_t below) { return uint32_t(random_() % below); }
  std::string pick(std::initializer_list<const char*> from) {
    return from.begin()[draw(from.size())];
  }
  std::string variable() {
    return pick({"v0", "v1", "v2", "v3", "q.y", "s.m", "s.k.x", "local.two[1].m", "local.e[0][1]",
                 "global.one.k.y"});
  }

  std::string value(uint32_t depth = 0) {
    const uint32_t kind = depth > 2 ? 0 : draw(10);
    if (kind < 3)
      return draw(3) == 0 ? fmt::format("{}u", draw(40))
                          : pick({"v0", "v1", "v2", "v3", "x", "i", "l", "q.x", "q.w", "s.m",
                                  "s.k.y", "p.n[1]", "u[0].y", "local.one.m", "local.two[1].m",
                                  "local.e[0][1]", "global.one.k.y", "global.two[0].k.x"});
    auto part = [&] { return value(depth + 1); };
    if (kind < 7)
      return fmt::format("({} {} {})", part(), pick({"+", "-", "*", "^", "&", "|"}), part());
    switch (draw(12)) {
    case 0:
      return fmt::format("({} / ({} | 1u))", part(), part());
    case 1:
      return fmt::format("({} % {}u)", part(), 1 + draw(9));
    case 2:
      return fmt::format("t[{} & 7u]", part());
    case 3:
      return fmt::format("uint(float({} & 1023u))", part());
    case 4:
      return fmt::format("w[min({}, 3u)]", part());
    case 5:
      return fmt::format("bitCount({})", part());
    case 6:
      return fmt::format("q[clamp({}, 1u, 3u)]", part());
    case 7:
      return fmt::format("({} >> {}u)", part(), draw(32));
    case 8:
      return fmt::format("u[{} & 1u].z", part());
    case 9:
      return fmt::format("helper({}, {})", part(), part());
    case 10:
      return fmt::format("uint(int({}) / 3)", part());
    default:
      return "a[g]";
    }
  }

  std::string condition() {
    const std::string one =
        fmt::format("{} {} {}", value(1), pick({"<", ">", "==", "!=", ">="}), value(1));
    return draw(5) != 0 ? one
                        : fmt::format("{} {} ({} & 1u) == 0u", one, pick({"&&", "||"}), value(2));
  }

  /// A computation that only its guard makes a defined one.
  std::string guarded() {
    const std::string v = variable();
    switch (draw(9)) {
    case 0:
      return fmt::format("uint d = {} & 15u; if (d != 0u) {} = {} / d;", value(), v, value());
    case 1:
      return fmt::format("int d = int({}) >> 28; if (d != 0 && d != -1) {} = uint(int({}) % d);",
                         value(), v, value());
    case 2:
      return fmt::format("uint d = {} & 15u; if (d < 8u) {} ^= t[d];", value(), v);
    case 3:
      return fmt::format("uint d = {} & 63u; if (d < 32u) {} += t[({} & 7u) >> d];", value(), v,
                         value());
    case 4:
      return fmt::format("uint d = {} & 127u; if (d < 64u) {} = a[d];", value(), v);
    case 5:
      return fmt::format("float f = uintBitsToFloat({}); if (f >= 0.0 && f < 1000.0) {} = uint(f);",
                         value(), v);
    case 6:
      return fmt::format("uint d = {} & 7u; if (d < 4u) {} = q[d]; else q[d & 3u] = {};", value(),
                         v, value());
    case 7:
      return fmt::format("uint d = {} & 7u, e = {} & 7u; if (d <= e) {} = t[clamp({}, d, e)];",
                         value(), value(), v, value());
    default:
      return fmt::format("uint j; for (j = 0u; j < 8u; ++j) {{ if ({}) break; if ({}) {} += t[j]; "
                         "}} if (j < 8u) {} = t[j];",
                         condition(), condition(), variable(), v);
    }
  }

  /// What both arms do.
  std::string common() {
    const std::string d = value(), v = variable(), c = condition();
    switch (draw(4)) {
    case 0:
      return fmt::format("uint d = {} | 1u; if ({}) {} = x / d + 1u; else {} = x / d ^ {};", d, c,
                         v, v, value());
    case 1:
      return fmt::format("uint d = {} & 63u; if ({}) {} = a[d]; else {} = a[d] * {};", d, c, v, v,
                         value());
    case 2:
      return fmt::format("uint d = {} & 63u; {} ^= a[d]; if ({}) {} += a[d];", d, variable(), c, v);
    default:
      return fmt::format("if ({}) b[g * 4u] = {}; else b[g * 4u] = {};", c, value(), value());
    }
  }

  std::string statement(uint32_t depth, bool inLoop) {
    const uint32_t kind = depth > 2 ? 0 : draw(17);
    if (kind < 4) return fmt::format("{} = {};\n", variable(), value());
    if (kind < 8) {
      std::string text = fmt::format("if ({}) {{\n{}}}", condition(), block(depth + 1, inLoop));
      while (draw(3) == 0)
        text += fmt::format(" else if ({}) {{\n{}}}", condition(), block(depth + 1, inLoop));
      if (draw(2) == 0) text += fmt::format(" else {{\n{}}}", block(depth + 1, inLoop));
      return text + "\n";
    }
    switch (kind) {
    case 8:
    case 9: {
      std::string text = fmt::format("switch ({} & {}u) {{\n", value(), draw(2) == 0 ? 3 : 7);
      for (uint32_t c = 0, count = 1 + draw(4); c < count; ++c)
        text += fmt::format("case {}u: {{\n{}}} {}\n", c, block(depth + 1, false),
                            draw(7) == 0 ? "" : "break;");
      return text + (draw(3) == 0 ? "case 9u: break;\n" : "") +
             (draw(3) == 0 ? ""
                           : fmt::format("default: {{\n{}}} break;\n", block(depth + 1, false))) +
             "}\n";
    }
    case 10:
      if (depth > 1) return "";
      return fmt::format("for (uint j{0} = 0u; j{0} < {1}u; ++j{0}) {{\n{2}}}\n", depth,
                         1 + draw(4), block(depth + 1, true));
    case 11:
      return inLoop ? fmt::format("if ({}) {};\n", condition(), pick({"break", "continue"})) : "";
    case 12:
      return fmt::format("w[{} & 3u] = {};\n", value(), value());
    case 13:
      return fmt::format("b[g * 4u + {}u] = {};\n", draw(4), value());
    case 14:
      return fmt::format("{{ {} }}\n", common());
    default:
      return fmt::format("{{ {} }}\n", guarded());
    }
  }

  std::string block(uint32_t depth, bool inLoop) {
    std::string text;
    for (uint32_t n = 0, count = 1 + draw(3); n < count; ++n) text += statement(depth, inLoop);
    return text;
  }

  /// Where all invocations are together.
  std::string topStatement() {
    if (draw(2) == 0) return "";
    const std::string other = fmt::format("tile[(l + {}u) & 31u]", draw(4));
    return fmt::format("barrier();\ntile[l] = {};\nbarrier();\n{} ^= {};\nif ({}) {} += {};\n",
                       value(), variable(), draw(2) == 0 ? other : "0u", condition(), variable(),
                       other);
  }

  /// Returns early, from selections, switches and loops.
  std::string helperFunction() {
    return fmt::format(
        "uint helper(uint x, uint l) {{\n  if (x {} {}u) return l {} {}u;\n{}  if ((x & "
        "{}u) != 0u) return x - l;\n{}  return x ^ l;\n}}",
        pick({"<", ">", "=="}), draw(30), pick({"+", "*", "^"}), draw(30), earlyExit(), 1 + draw(3),
        earlyExit());
  }

  std::string earlyExit() {
    switch (draw(6)) {
    case 0:
      return fmt::format("  for (uint i = 0u; i < {}u; ++i) if ((l >> i & 1u) == {}u) return i;\n",
                         2 + draw(3), draw(2));
    case 1:
      return fmt::format("  if (l > {}u) {{\n    if ((x & 4u) == 0u) return x + {}u;\n    x += l;\n"
                         "  }}{}\n",
                         draw(30), draw(9), draw(2) == 0 ? "" : " else l ^= 5u;");
    case 2:
      return fmt::format("  switch (x & 3u) {{\n  case 0u: return l;\n  case 1u: x += {}u; {}\n"
                         "  case 2u: {}\n  default: l += 3u;\n  }}\n",
                         draw(9), pick({"break;", ""}),
                         pick({"break;", "return 7u;", "if (l == 2u) return x; break;"}));
    case 3:
      return fmt::format(
          "  for (uint i = 0u; i < 3u; ++i) {{\n    for (;;) {{\n      if (++x > {}u) "
          "break;\n      if (x == l) return {}u;\n    }}\n    if (x > {}u) return l;\n"
          "    x = l & i;\n  }}\n",
          1 + draw(20), draw(9), draw(30));
    default:
      return "";
    }
  }

  std::mt19937 random_;
};

} // namespace lanewise::test
