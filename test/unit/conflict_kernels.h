// Random kernels with many accesses of Workgroup memory, for tests of what is known of them.
#pragma once

#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::test {

/// GLSL with `sites` accesses of Workgroup memory under conditions and in loops, with indices that
/// are functions of the invocation and of counters of loops, always in range; a few depend on a
/// push constant or on data. Between them stand loops and arms without accesses, on whose results
/// some of what follows depends. Loops have no other end than their test. What is loaded is stored,
/// so that no optimization takes it away.
class ConflictKernel {
public:
  ConflictKernel(uint32_t seed, uint32_t sites) : random_(seed) {
    constexpr std::array<uint32_t, 3> kSizes[] = {{32, 1, 1}, {64, 1, 1},  {16, 8, 1},
                                                  {8, 8, 1},  {32, 4, 1},  {33, 3, 1},
                                                  {8, 4, 4},  {128, 1, 1}, {20, 5, 1}};
    size_ = kSizes[draw(uint32_t(std::size(kSizes)))];
    for (uint32_t n = 0; n < sites; ++n) {
      if (chance(20)) addIdle(n);
      addSite(n);
    }
  }

  std::string text() const {
    return fmt::format(
        R"(#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = {}, local_size_y = {}, local_size_z = {}) in;
layout(binding = 0) buffer Out {{ uint result[]; }};
layout(push_constant) uniform Push {{ uint given; }};
struct Record {{ uint a; uvec2 b; uint c[3]; }};
uint fold(uvec2 v) {{ return v.x ^ v.y; }}
uint fold(uvec3 v) {{ return v.x ^ v.y ^ v.z; }}
uint fold(uvec4 v) {{ return v.x ^ v.y ^ v.z ^ v.w; }}
{}
void main() {{
  const uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y, z = gl_LocalInvocationID.z;
  const uint t = gl_LocalInvocationIndex;
  uint sum = 0u;
{}  result[t] = sum;
}}
)",
        size_[0], size_[1], size_[2], declarations_, body_);
  }
  std::array<uint32_t, 3> size() const { return size_; }

private:
  uint32_t draw(uint32_t n) { return uint32_t(random_() % n); }
  bool chance(uint32_t percent) { return draw(100) < percent; }

  // ----- expressions -----

  std::string leaf() {
    uint32_t rare = draw(150);
    if (rare == 0) return "result[t]";
    if (rare == 1) return "given";
    if (!results_.empty() && draw(24) == 0) return results_[draw(uint32_t(results_.size()))];
    uint32_t n = draw(10 + uint32_t(counters_.size()) * 4);
    if (n < 3) return "t";
    if (n < 5) return "x";
    if (n < 7) return "y";
    if (n == 7) return "z";
    if (n < 10) return fmt::format("{}u", draw(70));
    return counters_[(n - 10) / 4];
  }

  std::string expression(uint32_t depth) {
    if (depth == 0) return leaf();
    std::string a = expression(depth - 1);
    switch (draw(14)) {
    case 0:
    case 1:
    case 2:
      return fmt::format("({} + {})", a, expression(depth - 1));
    case 3:
      return fmt::format("({} - {})", a, expression(depth - 1));
    case 4:
    case 5:
      return fmt::format("({} * {}u)", a, 1 + draw(40));
    case 6:
      return fmt::format("({} / {}u)", a, 1 + draw(chance(50) ? 9 : 33));
    case 7:
      return fmt::format("({} % {}u)", a, 1 + draw(33));
    case 8:
      return fmt::format("({} & {}u)", a, chance(60) ? (1u << draw(7)) - 1 : draw(64));
    case 9:
      return fmt::format("({} {} {}u)", a, chance(50) ? "^" : "|", draw(40));
    case 10:
      return fmt::format("({} {} {}u)", a, chance(50) ? ">>" : "<<", draw(6));
    case 11:
      return fmt::format("min({}, {})", a, expression(depth - 1));
    case 12:
      return fmt::format("uint(int({}) {} {})", a, chance(50) ? "+" : "*", int(draw(9)) - 4);
    default:
      return fmt::format("({} ? {} : {})", condition(depth - 1), a, expression(depth - 1));
    }
  }

  std::string condition(uint32_t depth) {
    constexpr const char* kCompare[] = {"<", "<=", ">", ">=", "==", "!="};
    return fmt::format("({} {} {}u)", expression(depth), kCompare[draw(6)], draw(40));
  }

  /// Less than `extent`, which it often fills.
  std::string index(uint32_t extent) {
    std::string e = expression(draw(4));
    bool isPower = (extent & (extent - 1)) == 0;
    if (isPower && chance(50)) return fmt::format("({} & {}u)", e, extent - 1);
    return fmt::format("({} % {}u)", e, extent);
  }

  // ----- sites -----

  struct Element {
    const char* type;
    const char* store; ///< of a uint `v`
    const char* read;  ///< as a uint
  };

  void addSite(uint32_t n) {
    constexpr Element kElements[] = {
        {"uint", "{} = v;", "{}"},
        {"uint", "{} = v;", "{}"},
        {"uint16_t", "{} = uint16_t(v);", "uint({})"},
        {"uint8_t", "{} = uint8_t(v);", "uint({})"},
        {"uint64_t", "{} = uint64_t(v);", "uint({})"},
        {"uvec2", "{} = uvec2(v, 1u);", "fold({})"},
        {"uvec2", "{}.x = v;", "{}.y"},
        {"uvec4", "{} = uvec4(v);", "fold({})"},
        {"uvec4", "{}[@] = v;", "{}[@]"},
        {"double", "{} = double(v);", "uint({})"},
        {"uvec3", "{} = uvec3(v);", "fold({})"},
    };
    Element e = kElements[draw(uint32_t(std::size(kElements)))];
    Array array{fmt::format("s{}", n), {}, chance(12)};
    constexpr uint32_t kExtents[] = {4, 8, 16, 17, 32, 33, 64};
    for (uint32_t d = 0, rank = 1 + draw(3); d < rank; ++d)
      array.extents.push_back(rank == 1 ? 32u << draw(4) : kExtents[draw(rank == 2 ? 7 : 4)]);
    declarations_ += fmt::format("shared {} {}", array.isRecord ? "Record" : e.type, array.name);
    for (uint32_t extent : array.extents) declarations_ += fmt::format("[{}]", extent);
    declarations_ += ";\n";
    if (array.isRecord) e = kElements[0]; // its members are of the same type
    bool isStore = chance(50);
    if (isStore) addAccess(fmt::format("{{ uint v = sum + {}u; {} }}", n, e.store), array);
    // Also keeps the array, which is taken out where nobody reads it.
    addAccess(fmt::format("sum += {};", e.read), array);
  }

  struct Array {
    std::string name;
    std::vector<uint32_t> extents;
    bool isRecord = false;
  };

  /// One line: `access`, with an element for {}, in constructs of its own.
  void addAccess(const std::string& access, const Array& array) {
    std::string opens, closes, place = array.name;
    openConstructs(opens, closes);
    for (uint32_t extent : array.extents) place += fmt::format("[{}]", index(extent));
    if (array.isRecord)
      place += chance(40) ? fmt::format(".c[{}]", index(3)) : chance(50) ? ".a" : ".b.y";
    std::string full = replaced(access, "{}", place);
    if (full.find('@') != std::string::npos) full = replaced(full, "@", index(4));
    body_ += fmt::format("  {}{}{}\n", opens, full, closes);
    counters_.clear();
  }

  /// One line that accesses no Workgroup memory.
  void addIdle(uint32_t n) {
    const std::string result = fmt::format("w{}", n);
    const size_t begins = body_.size();
    std::string opens, closes;
    openConstructs(opens, closes);
    const std::string then = expression(1), otherwise = expression(1), c = condition(1);
    const bool isSwitch = chance(30);
    body_ += fmt::format("  uint {} = {}u; {}", result, draw(9), opens);
    body_ += isSwitch ? fmt::format("switch ({} & 3u) {{ case 0u: {} += {}; case 2u: {} ^= {}; "
                                    "break; default: {} += 1u; }}",
                                    then, result, then, result, otherwise, result)
                      : fmt::format("if {} {{ {} += {}; }} else {{ {} ^= {}; }}", c, result, then,
                                    result, otherwise);
    body_ += fmt::format("{}\n  sum ^= {};\n", closes, result);
    counters_.clear();
    // Nothing that depends on data is known.
    const std::string line = body_.substr(begins);
    const bool isKnown =
        line.find("result[t]") == std::string::npos && line.find("given") == std::string::npos;
    if (chance(60) && isKnown) results_.push_back(result);
  }

  static std::string replaced(std::string text, std::string_view what, const std::string& by) {
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
      text.replace(at, what.size(), by);
    return text;
  }

  /// Loops and conditions round a site; every loop adds a counter.
  void openConstructs(std::string& opens, std::string& closes) {
    for (uint32_t n = chance(40) ? 1 + draw(chance(30) ? 2 : 1) : 0; n > 0; --n)
      openLoop(opens, closes);
    for (uint32_t n = chance(40) ? 1 + draw(2) : 0; n > 0; --n) {
      opens += fmt::format("if {} {{ ", condition(draw(2)));
      closes = " }" + closes;
    }
  }

  void openLoop(std::string& opens, std::string& closes) {
    constexpr const char* kLoops[] = {"for (uint {0} = 0u; {0} < {1}u; ++{0}) ",
                                      "for (uint {0} = 2u; {0} < 18u; {0} += 5u) ",
                                      "for (uint {0} = 32u; {0} > 0u; {0} >>= 1) ",
                                      "for (int {0} = {1}; {0} >= 0; --{0}) ",
                                      "for (uint {0} = 1u; {0} <= {1}u; {0} <<= 1) ",
                                      "for (uint {0} = 0u; {0} < (t & 3u) + {1}u; ++{0}) ",
                                      "for (uint {0} = x; {0} < 64u; {0} += {1}u * 2u) ",
                                      "for (uint {0} = 0u, b = 0u; {0} < {1}u; ++{0}, b ^= 1u) "};
    std::string counter = fmt::format("i{}", loops_++);
    uint32_t kind = draw(uint32_t(std::size(kLoops)));
    std::string loop = fmt::format(fmt::runtime(kLoops[kind]), counter, 2 + draw(7));
    if (kind != 7 && chance(20)) { // the counter is known behind the loop, too
      std::string type = kind == 3 ? "int" : "uint";
      opens += fmt::format("{} {}; ", type, counter);
      loop.erase(loop.find(type), type.size());
      if (chance(40)) {
        opens += fmt::format("[[dont_unroll]] {}sum ^= uint({}); ", loop, counter);
        counters_.push_back(fmt::format("uint({})", counter));
        return;
      }
    }
    opens += "[[dont_unroll]] " + loop + "{ ";
    closes = " }" + closes;
    counters_.push_back(kind == 3 ? fmt::format("uint({})", counter) : counter);
    if (kind == 7) counters_.push_back("b");
  }

  std::mt19937 random_;
  std::array<uint32_t, 3> size_{};
  std::string declarations_, body_;
  std::vector<std::string> counters_; ///< of the loops round the site
  std::vector<std::string> results_;  ///< of idle lines
  uint32_t loops_ = 0;
};

} // namespace lanewise::test
