// What to run: shaders, buffers with their initial values, constants, a sequence of dispatches, and what to
// compare. Read from TOML (docs/scenario.md is the reference for users).
#pragma once

#include "result.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lanewise::driver {

/// Scalar types of buffer elements. A buffer's `type` may also be a vector ("f32x4") or a struct given as a
/// list of them; `elements` below has one entry for each scalar of one element.
enum class ScalarType : uint8_t { I8, U8, I16, U16, F16, I32, U32, F32, I64, U64, F64 };
uint32_t byteSize(ScalarType t);

/// Initial values of a buffer.
struct FillRandom { double low = 0, high = 1; uint64_t seed = 0; };
struct FillConstant { double value = 0; };
struct FillIota { double start = 0, step = 1; };
struct FillFile { std::string path; };   ///< raw bytes, relative to the scenario's folder
struct FillPoison {};                    ///< only written by the shaders: two different patterns
using Fill = std::variant<FillPoison, FillRandom, FillConstant, FillIota, FillFile>;

struct CompareExact {};
struct CompareUlp { uint64_t ulps = 0; };
struct CompareTolerance { double absolute = 0, relative = 0; };
struct CompareMultiset {};               ///< the same elements in any order
struct CompareNone {};
using Compare = std::variant<CompareExact, CompareUlp, CompareTolerance, CompareMultiset, CompareNone>;

struct ScenarioBuffer {
  std::string name;
  std::vector<ScalarType> elements{ScalarType::U32}; ///< scalars of one element, in order, no padding
  uint64_t count = 0;                                ///< elements
  Fill fill;
  Compare compare;
  bool isUniform = false;                            ///< bound as a uniform buffer where it is bound
  uint64_t elementBytes() const;
  uint64_t bytes() const { return elementBytes() * count; }
};

struct ScenarioShader {
  std::string name;
  std::string path; ///< source or module, relative to the scenario's folder; empty when synthesized
  std::string entry = "main";
  std::map<uint32_t, uint64_t> specConstants; ///< SpecId -> bits
  std::map<std::string, std::string> defines; ///< for GLSL and HLSL sources
};

struct ScenarioBinding { uint32_t set = 0, binding = 0; std::string buffer; };

struct ScenarioDispatch {
  std::string shader;
  std::array<uint32_t, 3> groups{1, 1, 1};
  std::vector<ScenarioBinding> bindings;
  std::vector<uint8_t> pushConstants;
};

struct Scenario {
  std::string path; ///< empty when synthesized
  std::vector<ScenarioShader> shaders;
  std::vector<ScenarioBuffer> buffers;
  std::vector<ScenarioDispatch> dispatches; ///< one step, in order
  uint32_t repeat = 1;                      ///< how often the whole step is run
};

/// Reads a scenario file. Errors name file, line and key.
Result<Scenario> readScenario(const std::string& path);

} // namespace lanewise::driver
