// What the buffers of a scenario start from, and whether two runs left the same in them.
#pragma once

#include "verify/interpreter/interpreter_runner.h"
#include "verify/runner.h"
#include "verify/scalars.h"
#include "verify/verify.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lanewise::driver {

/// What the buffers start from in one comparison.
struct InputSet {
  uint64_t seed = 0;
  InputStyle style = InputStyle::Seeded;
  std::string name; ///< for findings, empty when there is only one
};

/// " (with NAME, made up for want of a scenario)", or nothing for the inputs of a scenario.
std::string suffixOf(const InputSet& set);

using Outputs = std::vector<std::vector<uint8_t>>; ///< by buffer; empty: not compared

enum class Strictness : uint8_t { AsScenario, UpToRounding };

/// The buffers of a scenario over all programs that run beside one another.
class ScenarioContents {
public:
  ScenarioContents(const Scenario& scenario, std::span<const Program> programs, uint64_t seed);

  /// Reads what comes from files. An error names the file and buffer.
  Status readFiles();
  /// A made-up scenario says little of what a shader expects, so several kinds of input are tried.
  std::vector<InputSet> inputSets() const;
  bool isMadeUp() const { return scenario_.path.empty(); }

  /// Chooses the inputs for what follows.
  void fill(const InputSet& set);
  /// For one run, valid until the next call.
  std::vector<BufferInput> inputs(Poison poison);
  /// Above 0; another one where the bytes of inputs() are others (fill patterns aside).
  uint64_t inputsNumber(Poison poison) const;

  /// All differences between what two runs left, buffer by buffer.
  std::vector<BufferDifference> differences(const Outputs& a, Poison poisonA, const Outputs& b,
                                            Poison poisonB) const;

  /// The same for one buffer of which the runs, from inputs(poison), touched some pages only.
  /// With UpToRounding a rule of exact equality lets floats differ by what a few operations
  /// that round otherwise may do.
  std::optional<BufferDifference> difference(uint32_t buffer, const TouchedPages& a, Poison poisonA,
                                             const TouchedPages& b, Poison poisonB,
                                             Strictness strictness = Strictness::AsScenario);

  const std::vector<uint32_t>& compared() const { return compared_; } ///< buffers
  /// Buffers that some program writes and that have contents of their own.
  const std::vector<uint32_t>& restored() const { return restored_; }
  bool hasPoison() const { return hasPoison_; }
  uint64_t comparedBytes() const { return comparedBytes_; }

private:
  bool isPoisoned(size_t b) const {
    return std::holds_alternative<FillPoison>(scenario_.buffers[b].fill);
  }

  const Scenario& scenario_;
  uint64_t seed_;
  std::vector<uint32_t> compared_, restored_;
  bool hasPoison_ = false;
  uint64_t comparedBytes_ = 0;
  std::vector<std::vector<uint8_t>> files_, bytes_;       ///< by buffer
  std::optional<std::pair<uint64_t, InputStyle>> filled_; ///< what bytes_ holds
  uint64_t fills_ = 0;
};

} // namespace lanewise::driver
