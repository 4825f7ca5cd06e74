// Where buffers hold the same in every order of invocations, though the rest of them does not: what
// is written by stores that no order changes, and what is not written at all.
#pragma once

#include "verify/interpreter/interpreter_runner.h"
#include "verify/program/program.h"

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace lanewise::driver {

/// Watches runs of one program on the same inputs, each in another order. A place counts as
/// deterministic when all stores to it are by instructions that store the same in all runs: at each
/// place, whoever comes there, the same value. One place alone says little: the middle of a list is
/// the same when all invocations come in the opposite order. The scalars of a vector are told
/// apart, as if each had an instruction of its own.
///
/// A buffer with a store that no run has come to has none: another order may come to it, as one
/// does that finds a lock taken or a table full.
class DeterministicPlaces final : public RunObserver {
public:
  struct Buffer {
    uint32_t number = 0;
    uint64_t bytes = 0;
    uint32_t scalarBytes = 4; ///< of the smallest scalar
  };
  /// Of these buffers; those that are too large to be watched are left out. The program must
  /// outlive it.
  DeterministicPlaces(const Program& program, std::span<const Buffer> buffers);

  /// Before and after each run; `runner` still holds what it left.
  void beginRun();
  void endRun(InterpreterRunner& runner);

  /// By byte of the buffer, whether it is; empty where nothing is known.
  std::vector<uint8_t> of(uint32_t buffer) const;
  /// What the first run left in the buffer.
  std::vector<uint8_t> contentsOf(uint32_t buffer) const { return watched_.at(buffer).bytes; }

  void beginDispatch(uint32_t shader, const interpreter::Program& code,
                     const std::array<uint32_t, 3>& groups) override;
  void access(const interpreter::AccessEvent& event) override;
  void texel(const interpreter::AccessEvent& event) override;

private:
  /// By places of as many bytes as the smallest scalar has.
  struct Watched {
    uint32_t scalarBytes = 4;
    std::vector<uint64_t> stores;     ///< a bit for each instruction that stored there
    std::vector<uint8_t> first, last; ///< which stored last, in the first run and this one; 0: none
    std::vector<uint8_t> bytes;       ///< what the first run left
    bool areSameWritten = true;       ///< in all runs the same places
  };
  void store(const interpreter::AccessEvent& event);
  void compareWithFirst(Watched& watched, std::span<const uint8_t> bytes);
  bool hasOtherStores(uint32_t buffer) const;
  bool mayStoreTo(uint32_t buffer, uint32_t shader, Id variable) const;

  const Program& program_;
  std::map<uint32_t, Watched> watched_;
  std::map<std::array<uint32_t, 3>, uint32_t> numbers_; ///< by shader, site and scalar, from 1 on
  uint64_t varying_ = 0; ///< instructions that do not store the same in all runs
  std::vector<const interpreter::Program*> code_; ///< by shader
  std::vector<std::vector<bool>> hasStored_;      ///< by shader and site
  uint32_t shader_ = 0;
  bool isFirst_ = true;
};

} // namespace lanewise::driver
