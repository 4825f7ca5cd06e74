// Random compute shaders whose results the specification fixes to the last bit: integers, floats
// whose every step is rounded once and neither denormal nor infinite, control flow, functions,
// arrays, shared memory behind barriers, atomics, subgroup operations.
#pragma once

#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <random>
#include <string>
#include <vector>

namespace lanewise::test {

class RandomProgram {
public:
  static constexpr uint32_t kLanes = 64; ///< in a workgroup, and words that each reads and writes

  explicit RandomProgram(uint32_t seed) : random_(seed) {}

  /// GLSL. Binding 0 holds the inputs, binding 1 the outputs (8 words an invocation), binding 2
  /// eight counters, which are added to atomically.
  std::string text() {
    std::string body, functions;
    for (int f = 0; f < 2; ++f) functions += function(f);
    for (int i = 0, count = 8 + int(draw(8)); i < count; ++i) body += topStatement();
    return head() + functions +
           fmt::format(R"(
void main() {{
  uint lid = gl_LocalInvocationIndex, gid = gl_GlobalInvocationID.x;
  uint u0 = source[gid], u1 = source[gid ^ 1u], u2 = lid, u3 = {}u;
  int i0 = int(u0), i1 = int(u1) >> 7, i2 = -3;
  float f0 = tame(uintBitsToFloat(u0)), f1 = float(int(u1)), f2 = 1.5;
  uvec4 v0 = uvec4(u0, u1, u2, 7u);
  uint a0[8];
  for (int n = 0; n < 8; ++n) a0[n] = u0 + uint(n) * 77u;
{}
  target[8u * gid] = u0 ^ a0[u0 & 7u];
  target[8u * gid + 1u] = u1;
  target[8u * gid + 2u] = u2 ^ a0[3];
  target[8u * gid + 3u] = uint(i0);
  target[8u * gid + 4u] = uint(i1) ^ uint(i2);
  target[8u * gid + 5u] = floatBitsToUint(f0);
  target[8u * gid + 6u] = floatBitsToUint(f1);
  target[8u * gid + 7u] = v0.x ^ v0.y * 3u ^ v0.z * 5u ^ v0.w * 7u;
}}
)",
                       random_() % 1000, body);
  }

private:
  uint32_t draw(uint32_t below) { return uint32_t(random_() % below); }

  static std::string head() {
    return R"(#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer S { uint source[]; };
layout(set = 0, binding = 1) buffer T { uint target[]; };
layout(set = 0, binding = 2) buffer C { uint counters[8]; };
shared uint tile[64];
// Far from the ends of the range, so that no device may flush, overflow or lose a NaN's payload.
float tame(float x) { return abs(x) >= 1e-12 && abs(x) <= 1e12 ? x : 1.25; }
float add(float a, float b) { precise float r = a + b; return tame(r); }
float sub(float a, float b) { precise float r = a - b; return tame(r); }
float mul(float a, float b) { precise float r = a * b; return tame(r); }
)";
  }

  std::string uintLeaf() {
    std::array<std::string, 6> leaves{"u0",
                                      "u1",
                                      "u2",
                                      "u3",
                                      "v0." + std::string(1, "xyzw"[draw(4)]),
                                      fmt::format("{}u", uint32_t(random_()) >> draw(32))};
    return leaves[draw(6)];
  }

  std::string uintOf(int depth) {
    if (depth == 0) return uintLeaf();
    auto sub = [&] { return uintOf(depth - 1); };
    switch (draw(26)) {
    case 0:
      return fmt::format("({} + {})", sub(), sub());
    case 1:
      return fmt::format("({} - {})", sub(), sub());
    case 2:
      return fmt::format("({} * {})", sub(), sub());
    case 3:
      return fmt::format("({} / ({} | 1u))", sub(), sub());
    case 4:
      return fmt::format("({} % ({} | 1u))", sub(), sub());
    case 5:
      return fmt::format("({} & {})", sub(), sub());
    case 6:
      return fmt::format("({} | {})", sub(), sub());
    case 7:
      return fmt::format("({} ^ {})", sub(), sub());
    case 8:
      return fmt::format("(~{})", sub());
    case 9:
      return fmt::format("({} << ({} & 31u))", sub(), sub());
    case 10:
      return fmt::format("({} >> ({} & 31u))", sub(), sub());
    case 11:
      return fmt::format("min({}, {})", sub(), sub());
    case 12:
      return fmt::format("max({}, {})", sub(), sub());
    case 13:
      return fmt::format("clamp({}, {} & 255u, {} | 256u)", sub(), sub(), sub());
    case 14:
      return fmt::format("uint(bitCount({}))", sub());
    case 15:
      return fmt::format("bitfieldReverse({})", sub());
    case 16:
      return fmt::format("bitfieldExtract({}, int({} & 15u), int({} & 15u))", sub(), sub(), sub());
    case 17:
      return fmt::format("bitfieldInsert({}, {}, int({} & 15u), int({} & 15u))", sub(), sub(),
                         sub(), sub());
    case 18:
      return fmt::format("uint(findMSB({}))", sub());
    case 19:
      return fmt::format("uint(findLSB({}))", sub());
    case 20:
      return fmt::format("({} ? {} : {})", boolOf(depth - 1), sub(), sub());
    case 21:
      return fmt::format("uint({})", intOf(depth - 1));
    case 22:
      return fmt::format("floatBitsToUint({})", floatOf(depth - 1));
    case 23:
      return fmt::format("uint((uint64_t({}) * uint64_t({})) >> {})", sub(), sub(), draw(64));
    case 24:
      return fmt::format("uint(uint16_t({}) * uint16_t({}) + uint16_t({}))", sub(), sub(), sub());
    default:
      return fmt::format("a0[{} & 7u]", sub());
    }
  }

  std::string intOf(int depth) {
    if (depth == 0)
      return std::array<std::string, 4>{"i0", "i1", "i2",
                                        fmt::format("{}", int(draw(2000)) - 1000)}[draw(4)];
    auto sub = [&] { return intOf(depth - 1); };
    switch (draw(16)) {
    case 0:
      return fmt::format("({} + {})", sub(), sub());
    case 1:
      return fmt::format("({} - {})", sub(), sub());
    case 2:
      return fmt::format("({} * {})", sub(), sub());
    case 3:
      return fmt::format("({} / (({} & 1023) + 1))", sub(), sub());
    case 4: // OpSMod. Mesa 22.3 gives a negative dividend the sign of OpSRem
      return fmt::format("(({} & 0x7FFFFFFF) % (({} & 1023) + 1))", sub(), sub());
    case 5:
      return fmt::format("({} >> ({} & 31))", sub(), sub());
    case 6:
      return fmt::format("abs({})", sub());
    case 7:
      return fmt::format("sign({})", sub());
    case 8:
      return fmt::format("min({}, {})", sub(), sub());
    case 9:
      return fmt::format("max({}, {})", sub(), sub());
    case 10:
      return fmt::format("int({})", uintOf(depth - 1));
    case 11:
      return fmt::format("int(clamp({}, -1e6, 1e6))", floatOf(depth - 1));
    case 12:
      return fmt::format("findMSB({})", sub());
    case 13:
      return fmt::format("int(int64_t({}) * int64_t({}) / 1001l)", sub(), sub());
    case 14:
      return fmt::format("int(int16_t({}) - int16_t({}))", sub(), sub());
    default:
      return fmt::format("(- {})", sub());
    }
  }

  std::string floatOf(int depth) {
    if (depth == 0)
      return std::array<std::string, 4>{"f0", "f1", "f2",
                                        fmt::format("{}.{}", draw(1000), draw(100))}[draw(4)];
    auto sub = [&] { return floatOf(depth - 1); };
    switch (draw(13)) {
    case 0:
      return fmt::format("add({}, {})", sub(), sub());
    case 1:
      return fmt::format("sub({}, {})", sub(), sub());
    case 2:
    case 3:
      return fmt::format("mul({}, {})", sub(), sub());
    case 4:
      return fmt::format("min({}, {})", sub(), sub());
    case 5:
      return fmt::format("max({}, {})", sub(), sub());
    case 6:
      return fmt::format("abs({})", sub());
    case 7:
      return fmt::format("floor({})", sub());
    case 8:
      return fmt::format("trunc({})", sub());
    case 9:
      return fmt::format("float({})", intOf(depth - 1));
    case 10:
      return fmt::format("float({})", uintOf(depth - 1));
    case 11:
      return fmt::format("({} ? {} : {})", boolOf(depth - 1), sub(), sub());
    default:
      return fmt::format("(- {})", sub());
    }
  }

  std::string boolOf(int depth) {
    static const char* compare[] = {"<", "<=", ">", ">=", "==", "!="};
    depth = depth > 0 ? depth - 1 : 0;
    switch (draw(6)) {
    case 0:
      return fmt::format("({} {} {})", uintOf(depth), compare[draw(6)], uintOf(depth));
    case 1:
      return fmt::format("({} {} {})", intOf(depth), compare[draw(6)], intOf(depth));
    case 2:
      return fmt::format("({} {} {})", floatOf(depth), compare[draw(6)], floatOf(depth));
    case 3:
      return depth ? fmt::format("({} && {})", boolOf(depth), boolOf(depth)) : "(u0 < u1)";
    case 4:
      return depth ? fmt::format("({} || {})", boolOf(depth), boolOf(depth)) : "(i0 < i1)";
    default:
      return depth ? fmt::format("(!{})", boolOf(depth)) : "(f0 < f1)";
    }
  }

  std::string assignment() {
    switch (draw(7)) {
    case 0:
      return fmt::format("i{} = {};\n", draw(3), intOf(3));
    case 1:
      return fmt::format("f{} = {};\n", draw(3), floatOf(3));
    case 2:
      return fmt::format("a0[{} & 7u] = {};\n", uintOf(2), uintOf(2));
    case 3:
      return fmt::format("v0 = v0.{} {} uvec4({}, {}, {}, {});\n", swizzle(), "+-*^"[draw(4)],
                         uintOf(1), uintOf(1), uintOf(1), uintOf(1));
    case 4:
      return fmt::format("u{} = call{}({}, {});\n", draw(4), draw(2), uintOf(1), intOf(1));
    default:
      return fmt::format("u{} = {};\n", draw(4), uintOf(3));
    }
  }

  std::string swizzle() {
    std::string text;
    for (int n = 0; n < 4; ++n) text += "xyzw"[draw(4)];
    return text;
  }

  // Anything that lanes may do apart from one another.
  std::string statement(int depth) {
    if (depth == 0) return assignment();
    switch (draw(6)) {
    case 0:
      return fmt::format("if ({}) {{\n{}}}\n", boolOf(2), statement(depth - 1));
    case 1:
      return fmt::format("if ({}) {{\n{}}} else {{\n{}}}\n", boolOf(2), statement(depth - 1),
                         statement(depth - 1));
    case 2: {
      int loop = loops_++;
      return fmt::format("for (uint n{0} = 0u; n{0} < ({1} & 7u); ++n{0}) {{\nu1 += n{0};\n{2}"
                         "if ({3}) break;\n{4}}}\n",
                         loop, uintOf(1), statement(depth - 1), boolOf(1), statement(depth - 1));
    }
    case 3: {
      std::string text = fmt::format("switch ({} & 3u) {{\n", uintOf(1));
      for (int n = 0; n < 3; ++n)
        text += fmt::format("case {}u:\n{}{}", n, statement(depth - 1), draw(3) ? "break;\n" : "");
      return text + "default:\n" + statement(depth - 1) + "}\n";
    }
    case 4:
      return fmt::format("atomicAdd(counters[{} & 7u], {});\n", uintOf(1), uintOf(1));
    default:
      return assignment();
    }
  }

  // What needs all lanes, too.
  std::string topStatement() {
    switch (draw(6)) {
    case 0:
      return fmt::format("tile[lid] = {};\nbarrier();\nu{} ^= tile[(lid + {}u) & 63u] + "
                         "tile[{} & 63u];\nbarrier();\n",
                         uintOf(2), draw(4), draw(64), uintOf(1));
    case 1: {
      static const char* operations[] = {"Add", "Mul", "Min", "Max", "And", "Or", "Xor"};
      static const char* kinds[] = {"", "Inclusive", "Exclusive"};
      return fmt::format("u{} = subgroup{}{}({});\n", draw(4), kinds[draw(3)], operations[draw(7)],
                         uintOf(1));
    }
    case 2: {
      std::array<std::string, 7> operations{
          fmt::format("subgroupBallot({}).x", boolOf(1)),
          fmt::format("subgroupBallotBitCount(subgroupBallot({}))", boolOf(1)),
          fmt::format("subgroupBroadcast({}, {}u)", uintOf(1), draw(4)),
          fmt::format("subgroupBroadcastFirst({})", uintOf(1)),
          fmt::format("uint(subgroupAny({}))", boolOf(1)),
          fmt::format("uint(subgroupAll({}))", boolOf(1)),
          fmt::format("uint(subgroupAllEqual({} & 1u))", uintOf(1))};
      return fmt::format("u{} = {};\n", draw(4), operations[draw(7)]);
    }
    default:
      return statement(2);
    }
  }

  std::string function(int index) {
    // Its own variables by the names that expressions use.
    return fmt::format(R"(
uint call{}(uint p, int q) {{
  uint u0 = p, u1 = uint(q), u2 = p ^ 5u, u3 = 9u;
  int i0 = q, i1 = int(p), i2 = 11;
  float f0 = tame(float(q)), f1 = 2.5, f2 = tame(float(p));
  uvec4 v0 = uvec4(p);
  uint a0[8] = uint[8](p, 1u, 2u, 3u, u1, 5u, 6u, 7u);
  if ({}) return {};
  u0 = {};
  i0 = {};
  f0 = {};
  return u0 ^ uint(i0) ^ floatBitsToUint(f0);
}}
)",
                       index, boolOf(1), uintOf(2), uintOf(2), intOf(2), floatOf(2));
  }

  std::mt19937 random_;
  int loops_ = 0;
};

} // namespace lanewise::test
