// What the banks of Workgroup memory make of one access by a subgroup: counted, not estimated.
//
// A bank serves one word a cycle. Lanes that are served together (a phase) and ask one bank for
// different words wait for one another; lanes that ask for the same word are served at once where
// the target broadcasts. The degree of an access is the number of distinct words that the busiest
// bank serves in its worst phase: 1 is free of conflicts. docs/design/conflicts-by-counting.md;
// NVIDIA CUDA C++ Programming Guide, "Shared Memory".
#pragma once

#include "lanewise/target_profile.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lanewise {

inline constexpr uint32_t kWidestAccess = 16; ///< bytes that one lane moves at once

struct BankConflicts {
  uint32_t degree =
      0; ///< distinct words of the busiest bank in the worst phase; 0 when no lane is active
  uint32_t phases = 0; ///< phases with an active lane
  uint32_t cycles = 0; ///< sum of the degrees of all phases: what the access costs
  bool operator==(const BankConflicts&) const = default;
};

/// Counts conflicts, one access of a subgroup after the other; keeps its storage in between. The
/// profile must outlive it.
class BankCounter {
public:
  explicit BankCounter(const TargetProfile& profile);
  /// `addresses[lane]` is the byte address that the lane accesses, nothing for an inactive lane; at
  /// most profile.subgroupSize entries. `accessBytes` is the size of one lane's access; an access
  /// of more than 16 bytes is served as several of 16.
  BankConflicts count(std::span<const std::optional<uint64_t>> addresses, uint32_t accessBytes);

private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Request {
    uint64_t word;
    uint32_t next; ///< of the same bank, in requests_
  };
  struct Bank {
    uint32_t first = kNone, load = 0;
    uint64_t round = 0; ///< of another phase: empty
  };
  /// Divides by what nearly always is a power of two.
  struct Divisor {
    explicit Divisor(uint32_t number)
        : n(std::max(number, 1u)), shift(std::has_single_bit(n) ? std::countr_zero(n) : -1) {}
    uint64_t quotient(uint64_t x) const { return shift >= 0 ? x >> shift : x / n; }
    uint64_t remainder(uint64_t x) const { return shift >= 0 ? x & (n - 1) : x % n; }
    uint32_t n;
    int shift;
  };
  void add(uint64_t address, uint32_t bytes);
  uint32_t takeDegree();

  const TargetProfile& profile_;
  const Divisor banks_, bankBytes_;
  std::vector<Bank> banksOf_;
  std::vector<Request>
      requests_; ///< the first `used_`: distinct words, where the target broadcasts
  uint32_t used_ = 0;
  uint32_t degree_ = 0; ///< of the phase
  uint64_t round_ = 1;  ///< counts phases
};

/// The same for a single access.
BankConflicts countBankConflicts(const TargetProfile& profile,
                                 std::span<const std::optional<uint64_t>> addresses,
                                 uint32_t accessBytes);

} // namespace lanewise
