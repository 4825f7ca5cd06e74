// How much of a program's code a verification has exercised, as the interpreter saw it. What no
// input reached, no comparison says anything of.
#pragma once

#include "verify/program/exercised.h"

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace lanewise::driver {

struct LineRange {
  std::string file;
  uint32_t first = 0, last = 0; ///< both included
  auto operator<=>(const LineRange&) const = default;
};

/// A branch that lanes came to and that some way out of was never taken.
struct OneWayBranch {
  std::string file;
  uint32_t line = 0; ///< 0: the module has no lines
  std::string block; ///< that ends in it: "%45" or its name
  /// What its condition always was, "true" or "false"; empty for a switch.
  std::string always;
  std::vector<std::string> never; ///< of a switch: literals, "default"
  /// "specialization constant 4" where nothing else decides; else empty.
  std::string constant;
};

struct ShaderCoverage {
  std::string shader;
  uint32_t blocks = 0, ran = 0; ///< of those that some input might reach
  std::vector<std::string> notRun;
  /// Where the module has lines: of blocks that never ran and of no block that did; of those that
  /// did. A range goes over lines without code.
  std::vector<LineRange> notRunLines, ranLines;
  std::vector<OneWayBranch> oneWay;
  bool isComplete() const { return ran == blocks && oneWay.empty(); }
};

struct Coverage {
  std::vector<ShaderCoverage> shaders;
  bool isComplete() const;
};

/// Of a program, shader by shader.
Coverage coverageOf(const std::vector<ExercisedShader>& exercised);

/// Ways of branches that lanes came to and that none of them went: edges of `code`, ascending.
/// Those that the module itself rules out (a literal condition, OpUnreachable) are none of them.
std::vector<uint32_t> untakenEdges(const ExercisedShader& shader);

/// One line for each shader that is not covered: "particles.comp lines 40-47, 61 (3 of 24 blocks);
/// always true: line 33". Begins with the shader's name where the program has several.
std::vector<std::string> describe(const Coverage& coverage);

/// The same of what `other` leaves out and `original` does not: lines that the original ran, or,
/// where the original is complete, anything.
std::vector<std::string> describeBeyond(const Coverage& original, const Coverage& other);

} // namespace lanewise::driver
