// What the buffers of a scenario start from, and whether two runs left the same in them.
#pragma once

#include "verify/compare/compare.h"
#include "verify/compare/order_rules.h"
#include "verify/formats/scalars.h"
#include "verify/interpreter/interpreter_runner.h"
#include "verify/program/marshal.h"
#include "verify/program/runner.h"
#include "verify/scenario/fills.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lanewise::driver {

/// What the buffers start from in one comparison.
struct InputSet {
  uint64_t seed = 0;
  InputStyle style = InputStyle::Seeded;
  std::string name; ///< for findings, empty when there is only one
  /// Tried beside the others: where the original fares badly with it, that is no more than a note.
  bool isExtra = false;
};

/// " (with NAME; no scenario: generated inputs)", or nothing for the inputs of a scenario.
std::string suffixOf(const InputSet& set);

using Outputs = std::vector<std::vector<uint8_t>>; ///< by buffer; empty: not compared

enum class Strictness : uint8_t { AsScenario, UpToRounding };

/// What several scenarios over the same programs need alike.
struct RunCaches {
  FillCache fills;
  ReflectionCache reflections;
  CodeCache code;
};

/// What of a buffer every order of the original leaves the same, though not the rest.
struct DeterministicContents {
  std::vector<uint8_t> isDeterministic; ///< by byte
  std::vector<uint8_t> bytes;           ///< what the interpreter has seen the original leave
};

/// The buffers of a scenario over all programs that run beside one another.
class ScenarioContents {
public:
  /// All must outlive it; the programs are those of the marshalling.
  ScenarioContents(const Marshalling& marshalling, std::span<const Program> programs, uint64_t seed,
                   RunCaches& caches);

  /// Reads what comes from files. An error names the file and buffer.
  Status readFiles();
  /// Whether narrowed fields hold what the buffers start from. An error names buffer, element and
  /// field.
  Status checkRanges();
  /// A generated scenario says little of what a shader expects, so several kinds of input are
  /// tried.
  std::vector<InputSet> inputSets() const;
  bool isGenerated() const { return scenario_.path.empty(); }
  uint64_t seed() const { return seed_; }
  RunCaches& caches() const { return caches_; }
  /// By buffer.
  std::vector<ResourceShape> shapes() const;

  /// Chooses the inputs for what follows.
  void fill(const InputSet& set);
  /// For one run, valid until the next call.
  std::vector<BufferInput> inputs(Poison poison);
  /// The same without what none of these programs sees: a buffer in the layouts of others, which
  /// is neither packed nor sent for them.
  std::vector<BufferInput> inputsOf(std::span<const size_t> programs, Poison poison);
  /// Above 0; another one where the bytes of inputs() are others (fill patterns aside).
  uint64_t inputsNumber(Poison poison) const;

  /// The difference between what two runs left in a buffer.
  std::optional<BufferDifference> difference(uint32_t buffer, const Outputs& a, Poison poisonA,
                                             const Outputs& b, Poison poisonB) const;
  /// All of them, buffer by buffer.
  std::vector<BufferDifference> differences(const Outputs& a, Poison poisonA, const Outputs& b,
                                            Poison poisonB) const;

  /// The same for one buffer of which the runs, from inputs(poison), touched some pages only.
  /// With UpToRounding a rule of exact equality lets floats differ by what a few operations
  /// that round otherwise may do.
  std::optional<BufferDifference> difference(uint32_t buffer, const TouchedPages& a, Poison poisonA,
                                             const TouchedPages& b, Poison poisonB,
                                             Strictness strictness = Strictness::AsScenario);

  /// The buffers to read of a program in place of compared().
  std::vector<uint32_t> comparedOf(size_t program) const;
  /// Turns what program `p` left in comparedOf(p) into what the host sees in compared().
  /// `reference` is what the original left, null for the original itself. Gives what was written
  /// where no element is.
  std::vector<BufferDifference> unpack(size_t program, Poison poison, const Outputs* reference,
                                       Outputs& outputs);
  /// The same for the pages of one buffer.
  std::optional<BufferDifference> unpack(size_t program, uint32_t buffer, Poison poison,
                                         const TouchedPages* reference, TouchedPages& output);
  /// A value that the original left and that a narrowed field of program `p` does not hold, as one
  /// line.
  std::optional<std::string> misfit(size_t program, Poison poison, const Outputs& original) const;

  /// For a buffer that runs of the original in two orders left with this difference: compares it by
  /// the next weaker OrderRule from now on. `where` says which orders these are.
  void weaken(uint32_t buffer, const BufferDifference& difference, std::string_view where);
  /// The bytes of a buffer that hold the same in every order with the inputs at hand: whatever its
  /// OrderRule they are compared by the scenario's rule, until two runs of the original differ
  /// there.
  void setDeterministic(uint32_t buffer, DeterministicContents contents);
  /// Forgets that of buffers in which a device leaves something else there.
  void checkDeterministic(const Outputs& original, Poison poison);
  /// Takes over what others found out about the same buffers.
  void weakenAs(const ScenarioContents& others);
  /// Compares all buffers by their own rules again.
  void forgetOrders() { orders_.clear(), deterministic_.clear(); }
  bool isOrderDependent() const { return !orders_.empty(); }
  bool isOrderDependent(uint32_t buffer) const { return orders_.contains(buffer); }
  /// In the scenario's order.
  std::vector<OrderDependence> orderDependences() const;

  const std::vector<uint32_t>& compared() const { return compared_; } ///< buffers
  const ScenarioBuffer& buffer(uint32_t number) const { return scenario_.buffers[number]; }
  /// The number of a compared buffer, unless the program sees it in another layout.
  std::optional<uint32_t> plainBuffer(size_t program, std::string_view name) const;
  /// Buffers that some program writes and that have contents of their own.
  const std::vector<uint32_t>& restored() const { return restored_; }
  bool hasPoison() const { return hasPoison_; }
  uint64_t comparedBytes() const { return comparedBytes_; }

private:
  bool isPoisoned(uint32_t buffer) const {
    const PackedBuffer* packed = marshalling_.packedAt(buffer);
    return std::holds_alternative<FillPoison>(
        scenario_.buffers[packed ? packed->source : buffer].fill);
  }
  /// `resource` with the rule by which the inputs at hand are compared; `left` is what the original
  /// left in it.
  void applyRule(OrderRule rule, ScenarioBuffer& resource, const BufferContents& left,
                 Strictness strictness) const;
  /// Two runs of `resource`, which is the buffer or some elements of it; likewise
  /// `isDeterministic`.
  std::optional<BufferDifference> compare(uint32_t buffer, ScenarioBuffer resource,
                                          const BufferContents& a, const BufferContents& b,
                                          std::span<const uint8_t> isDeterministic,
                                          Strictness strictness) const;
  /// By what must be the same in all orders alone.
  std::optional<BufferDifference>
  compareDeterministic(ScenarioBuffer resource, const BufferContents& a, const BufferContents& b,
                       std::span<const uint8_t> isDeterministic, Strictness strictness) const;
  /// By byte, with the inputs at hand; empty where nothing is known.
  std::span<const uint8_t> deterministicOf(uint32_t buffer) const;
  OrderRule orderRuleOf(uint32_t buffer, std::optional<uint32_t> part) const;
  bool isFilled(uint32_t buffer) const; ///< with one byte, where it is poisoned
  void fillPoisoned(uint32_t buffer, Poison poison);
  BufferInput inputOf(uint32_t buffer, Poison poison);
  bool isSeenBy(size_t program, uint32_t buffer) const;
  /// The whole buffer as a run started with it.
  std::vector<uint8_t> initial(uint32_t buffer, Poison poison);
  std::optional<BufferDifference> strayWrite(const PackedBuffer& packed, Poison poison,
                                             std::span<const uint8_t> output);

  const Marshalling& marshalling_;
  const Scenario& scenario_;
  uint64_t seed_;
  RunCaches& caches_;
  std::vector<uint32_t> compared_, restored_;
  bool hasPoison_ = false;
  bool isAnyNanEqual_ = false; ///< with special values, where none of them is what is computed
  uint64_t comparedBytes_ = 0;
  std::vector<std::vector<uint8_t>> files_, bytes_; ///< by buffer; packed when they are needed
  std::optional<std::pair<uint64_t, InputStyle>> filled_; ///< what bytes_ holds
  std::map<uint32_t, OrderDependence> orders_;            ///< by buffer
  /// By buffer and what filled_ was.
  std::map<uint32_t, std::map<std::pair<uint64_t, InputStyle>, DeterministicContents>>
      deterministic_;
  uint64_t fills_ = 0;
};

} // namespace lanewise::driver
