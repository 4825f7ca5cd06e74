#include "analysis/bank_conflicts.h"

#include <algorithm>
#include <vector>

namespace lanewise {
namespace {

constexpr uint32_t kWidestAccess = 16; ///< bytes that one lane moves at once

uint32_t lanesPerPhase(const TargetProfile& profile, uint32_t bytes) {
  uint32_t lanes = bytes <= 4   ? profile.lanesPerPhase32
                   : bytes <= 8 ? profile.lanesPerPhase64
                                : profile.lanesPerPhase128;
  return std::max(lanes, 1u);
}

/// Requests of one phase. Keeps its storage from phase to phase.
class Phase {
public:
  explicit Phase(const TargetProfile& profile)
      : profile_(profile), banks_(std::max(profile.banks, 1u)),
        bankBytes_(std::max(profile.bankBytes, 1u)), load_(banks_, 0) {}

  void add(uint64_t address, uint32_t bytes) {
    // A lane asks for each word that it touches once, whatever part of the word it wants.
    uint64_t last = (address + bytes - 1) / bankBytes_;
    for (uint64_t word = address / bankBytes_; word <= last; ++word) words_.push_back(word);
    active_ = true;
  }

  /// The degree of what was added since the last call, 0 if nothing was.
  uint32_t take() {
    if (!active_) return 0;
    if (profile_.broadcast) {
      std::sort(words_.begin(), words_.end());
      words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
    }
    uint32_t degree = 0;
    for (uint64_t word : words_) degree = std::max(degree, ++load_[word % banks_]);
    for (uint64_t word : words_) load_[word % banks_] = 0;
    words_.clear();
    active_ = false;
    return degree;
  }

private:
  const TargetProfile& profile_;
  uint64_t banks_, bankBytes_;
  std::vector<uint32_t> load_; ///< by bank; all 0 between calls
  std::vector<uint64_t> words_;
  bool active_ = false;
};

} // namespace

BankConflicts countBankConflicts(const TargetProfile& profile,
                                 std::span<const std::optional<uint64_t>> addresses,
                                 uint32_t accessBytes) {
  BankConflicts result;
  Phase phase(profile);
  auto finish = [&] {
    uint32_t degree = phase.take();
    if (degree == 0) return;
    result.degree = std::max(result.degree, degree);
    result.cycles += degree;
    ++result.phases;
  };
  for (uint32_t offset = 0; offset < accessBytes; offset += kWidestAccess) {
    uint32_t bytes = std::min(accessBytes - offset, kWidestAccess);
    uint32_t lanes = lanesPerPhase(profile, bytes);
    for (size_t lane = 0; lane < addresses.size(); ++lane) {
      if (lane != 0 && lane % lanes == 0) finish();
      if (addresses[lane]) phase.add(*addresses[lane] + offset, bytes);
    }
    finish();
  }
  return result;
}

} // namespace lanewise
