// What to run: shaders, buffers with their initial values, constants, a sequence of dispatches, and
// what to compare. Read from TOML (docs/scenario.md is the reference for users).
#pragma once

#include "lanewise/assumptions.h"
#include "lanewise/result.h"
#include "verify/formats/image_shape.h"
#include "verify/formats/scalar_type.h"
#include "verify/queues/plan.h"
#include "verify/scenario/expression.h"
#include "verify/scenario/spec_value.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lanewise::driver {

/// Initial values of a buffer. Integers are filled with the value rounded towards zero, modulo
/// their size.
struct FillRandom {
  double low = 0, high = 1; ///< floats: [low, high); integers: low to high, both included
  uint64_t seed = 0;        ///< added to VerifyOptions::seed
  bool operator==(const FillRandom&) const = default;
};
struct FillConstant {
  double value = 0;
  bool operator==(const FillConstant&) const = default;
};
struct FillIota {
  double start = 0, step = 1;
  bool operator==(const FillIota&) const = default;
};
struct FillFile { ///< raw bytes; its folder is the scenario's, already joined
  std::string path;
  bool operator==(const FillFile&) const = default;
};
struct FillPoison { ///< only written by the shaders: two different patterns
  bool operator==(const FillPoison&) const = default;
};
struct FillValues { ///< scalar after scalar, from the start again at the end
  std::vector<double> values;
  bool operator==(const FillValues&) const = default;
};
/// Integers of any length and sign, floats over the decades from a thousandth to a million. Only
/// where a scenario is generated, and so is the next one.
struct FillWide {
  bool operator==(const FillWide&) const = default;
};
/// Integers at the ends of their type's range, next to zero and at half their length; few, so that
/// two of them meet.
struct FillEdges {
  bool operator==(const FillEdges&) const = default;
};
struct FillDrawn {
  std::vector<int64_t> integers; ///< one of which each integer gets; none: 0 to 63
  std::vector<double> floats;    ///< none: [-1, 1)
  bool operator==(const FillDrawn&) const = default;
};
using Fill = std::variant<FillPoison, FillRandom, FillConstant, FillIota, FillFile, FillValues,
                          FillWide, FillEdges, FillDrawn>;

struct CompareExact {
  bool anyNan = false; ///< a NaN equals every other, whatever its sign and payload
};
struct CompareUlp {
  uint64_t ulps = 0;
};
struct CompareTolerance {
  double absolute = 0, relative = 0;
};
struct CompareMultiset { ///< the same elements in any order
  /// How an element and the one in its place are compared when both runs are sorted by value. Not
  /// exact only where no scenario says so.
  std::variant<CompareExact, CompareUlp, CompareTolerance> each = CompareExact{};
};
struct CompareNone {};
using Compare =
    std::variant<CompareExact, CompareUlp, CompareTolerance, CompareMultiset, CompareNone>;

/// One value in front of a buffer's elements, such as their number.
struct HeaderField {
  ScalarType type = ScalarType::U32;
  std::array<uint8_t, 8> bytes{}; ///< little-endian, byteSize(type) of them
};

/// A scalar that does not hold what its buffer is filled with.
struct BufferEdit {
  uint64_t offset = 0; ///< bytes from the start of the buffer, its header included
  uint32_t bytes = 4;
  uint64_t value = 0;
};

/// What a binding names: a buffer, or an image (then `elements` are the scalars of one texel as it
/// lies in memory, and `count` its texels).
struct ScenarioBuffer {
  std::string name;
  std::vector<ScalarType> elements{
      ScalarType::U32}; ///< scalars of one element, in order, no padding
  uint64_t count = 0;   ///< elements
  Fill fill;
  Compare compare;
  bool isUniform = false;          ///< bound as a uniform buffer where it is bound
  bool isExclusive = false;        ///< one queue family owns it at a time
  std::vector<HeaderField> header; ///< stands before the elements, no padding
  std::optional<ImageShape> image;
  std::vector<BufferEdit> edits; ///< in order, after `fill`; only where a scenario is generated
  /// Makes it an image: sets `image`, `elements` and `count`.
  void setImage(const ImageShape& shape);
  const char* kindName() const { return image ? "image" : "buffer"; }
  uint64_t headerBytes() const;
  uint64_t elementBytes() const;
  uint32_t smallestScalarBytes() const;
  uint64_t bytes() const { return headerBytes() + elementBytes() * count; }
};

/// Variables of different kinds at one binding cannot be bound: one descriptor has one type. For a
/// run, those of `kind` get the number `to` in place of `binding`, in every module that stands for
/// the shader. Only where a scenario is generated.
struct Rebinding {
  uint32_t set = 0, binding = 0;
  std::string kind; ///< as describeKind() gives it
  uint32_t to = 0;
};

struct ScenarioShader {
  std::string name;
  std::string
      path; ///< source or module, already joined with the scenario's folder; empty when synthesized
  std::string entry = "main";
  std::map<uint32_t, uint64_t> specConstants; ///< SpecId -> bits
  /// The same as a file has them: once the module is known, its types say what they are
  /// (settle()), whatever bits stand above.
  SpecValues written;
  uint32_t subgroupSize = 0; ///< that its pipeline requires; 0: what the driver chooses
  std::map<std::string, std::string> defines; ///< for GLSL and HLSL sources
  std::vector<Rebinding> rebindings;
  /// The shader in another form of which this one was made; "" for none. A fault that both have is
  /// the original's.
  std::string madeOf;
};

struct ScenarioBinding {
  uint32_t set = 0, binding = 0;
  std::string buffer;
  uint32_t element = 0; ///< of an array of descriptors
  bool operator==(const ScenarioBinding&) const = default;
};

/// Where a dispatch finds its counts of workgroups: three u32.
struct IndirectGroups {
  std::string buffer;
  uint64_t offset = 0; ///< bytes, a multiple of 4
  bool operator==(const IndirectGroups&) const = default;
};

struct ScenarioDispatch {
  std::string shader;
  std::array<uint32_t, 3> groups{1, 1, 1}; ///< {0, 0, 0} where `indirect` says
  std::vector<ScenarioBinding> bindings;
  std::vector<uint8_t> pushConstants;
  std::optional<IndirectGroups> indirect = {};
  bool operator==(const ScenarioDispatch&) const = default;
};

/// Another way to compute the same, such as a hand-tuned rival, or something to measure against,
/// such as a copy of the same bytes: its own dispatches over the same buffers. `lanewise verify`
/// runs them beside the modules that it was given; nothing else does.
struct ScenarioVariant {
  std::string name;
  bool compare = true;      ///< false: only timed
  uint32_t submitEvery = 0; ///< ProgramVariant::submitEvery
  std::string layout;       ///< file of the layout manifest by which it sees buffers; empty: none
  std::vector<ScenarioDispatch> dispatches;
};

/// A copy between two dispatches of a sequence.
struct SequenceCopy {
  uint32_t before = 0; ///< the dispatch that follows; as many as there are: none
  PlannedCopy copy;
  bool operator==(const SequenceCopy&) const = default;
};

/// A parameter that `lanewise tune` may change, and what to.
struct Tunable {
  std::string name;
  std::vector<int64_t> values; ///< in the order of the file, each once
};

struct Scenario {
  std::string path; ///< empty when synthesized
  std::vector<ScenarioShader> shaders;
  std::vector<ScenarioBuffer> buffers;
  std::vector<ScenarioDispatch> dispatches; ///< one step, in order
  uint32_t repeat = 1;                      ///< how often the whole step is run
  /// Only with queues: of the sequence, in order.
  std::vector<SequenceCopy> copies;
  /// Where it has queues. The sequence is then all of their commands in an order that they allow.
  std::optional<QueuePlan> queues;
  std::vector<ScenarioVariant> variants;
  /// Of a generated one: floats that are infinite, NaN or next to nothing are worth a run.
  bool triesSpecialValues = false;
  /// Of one that was made from a generated one: what it tries (verify/inputs/rounds.h).
  std::string round;
  uint32_t subgroupSize = 0; ///< of the interpreter in such a one; 0: as ever
  /// What every dispatch must agree with, since a module was optimized for it (--assume).
  std::vector<StatedFact> stated;
  /// The shaders that this is about, by name; empty: all. Others were not optimized with it.
  std::set<std::string> statedOf;

  Parameters parameters; ///< with the values that everything above was read with
  std::vector<Tunable> tunables;
  /// The first of the file's `constraints` that these values do not meet; "" where they meet all.
  std::string unmet;

  const ScenarioShader* findShader(std::string_view name) const;
  const ScenarioBuffer* findBuffer(std::string_view name) const;
};

/// What a reader lets pass.
struct ScenarioReading {
  std::string sizeName; ///< of [sizes]
  /// Queues whose waits never end are read all the same, for somebody who tells all of it.
  bool keepsQueueFaults = false;
  Parameters values; ///< go before those of the file; with them `constraints` need not be met
};

/// Reads a scenario file. `sizeName` picks a table of [sizes] that overrides [parameters]; empty
/// takes the parameters as they stand. An error is one line: file, line, column, key, what is
/// wrong, how to mend it. Files that the scenario names must exist, but are not read here.
Result<Scenario> readScenario(const std::string& path, const std::string& sizeName = {});

/// The same for text that came from elsewhere; `path` names it in errors and gives the folder.
Result<Scenario> parseScenario(std::string_view text, const std::string& path,
                               const std::string& sizeName = {}, const Parameters& values = {});
Result<Scenario> readScenario(const std::string& path, const ScenarioReading& reading);
Result<Scenario> parseScenario(std::string_view text, const std::string& path,
                               const ScenarioReading& reading);

} // namespace lanewise::driver
