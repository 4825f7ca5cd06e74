// Where buffers hold the same in every order of invocations, though the rest of them does not: what
// is written by stores that no order changes, and what is not written at all.
#pragma once

#include "verify/interpreter/interpreter_runner.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace lanewise::driver {

/// Watches runs of one program on the same inputs, each in another order. A place counts as
/// deterministic when all stores to it are by instructions that store the same in all runs: each of
/// their words, at whatever place, is by the same invocation and of the same value. One place alone
/// says little: the middle of a list is the same when all invocations come in the opposite order.
/// The words of a vector are told apart, as if each had an instruction of its own.
class DeterministicPlaces final : public RunObserver {
public:
  /// Of these buffers, by number and bytes. Those that are too large to be watched are left out.
  explicit DeterministicPlaces(std::span<const std::pair<uint32_t, uint64_t>> buffers);

  /// Before and after each run; `runner` still holds what it left.
  void beginRun();
  void endRun(InterpreterRunner& runner);

  /// By byte of the buffer, whether it is; empty where nothing is known.
  std::vector<uint8_t> of(uint32_t buffer) const;

  void beginDispatch(uint32_t shader, const interpreter::Program& code,
                     const std::array<uint32_t, 3>& groups) override;
  void access(const interpreter::AccessEvent& event) override;
  void texel(const interpreter::AccessEvent& event) override;

private:
  struct Watched {
    std::vector<uint64_t> stores;      ///< by word: a bit for each instruction that stored to it
    std::vector<uint64_t> first, last; ///< by word: who stored last, in the first run and this one
    std::vector<uint8_t> bytes;        ///< what the first run left
    bool areSameWritten = true;        ///< in all runs the same words
  };
  std::optional<uint32_t> numberOf(uint32_t site, uint32_t word);
  void store(const interpreter::AccessEvent& event);
  void compareWithFirst(Watched& watched, std::span<const uint8_t> bytes);

  std::map<uint32_t, Watched> watched_;
  /// By shader, site and word of the vector; looked up only.
  std::map<std::array<uint32_t, 3>, uint32_t> numbers_;
  uint64_t varying_ = 0; ///< instructions that do not store the same in all runs
  uint32_t shader_ = 0;
  bool hasTooMany_ = false, isFirst_ = true;
};

} // namespace lanewise::driver
