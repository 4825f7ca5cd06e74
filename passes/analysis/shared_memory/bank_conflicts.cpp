#include "analysis/shared_memory/bank_conflicts.h"

#include <algorithm>
#include <utility>

namespace lanewise {
namespace {

uint32_t lanesPerPhase(const TargetProfile& profile, uint32_t bytes) {
  uint32_t lanes = bytes <= 4   ? profile.lanesPerPhase32
                   : bytes <= 8 ? profile.lanesPerPhase64
                                : profile.lanesPerPhase128;
  return std::max(lanes, 1u);
}

} // namespace

BankCounter::BankCounter(const TargetProfile& profile)
    : profile_(profile), banks_(profile.banks), bankBytes_(profile.bankBytes), banksOf_(banks_.n),
      requests_(64) {}

inline void BankCounter::add(uint64_t address, uint32_t bytes) {
  // A lane asks for each word that it touches once, whatever part of the word it wants.
  const uint64_t last = bankBytes_.quotient(address + bytes - 1);
  for (uint64_t word = bankBytes_.quotient(address); word <= last; ++word) {
    const auto number = uint32_t(banks_.remainder(word));
    Bank& bank = banksOf_[number];
    if (bank.round != round_) bank = {kNone, 0, round_};
    bool isServed = false;
    for (uint32_t at = bank.first; profile_.broadcast && at != kNone && !isServed;
         at = requests_[at].next)
      isServed = requests_[at].word == word;
    if (isServed) continue;
    if (used_ == requests_.size()) requests_.resize(2 * requests_.size());
    requests_[used_] = {word, bank.first};
    bank.first = used_++;
    degree_ = std::max(degree_, ++bank.load);
  }
}

uint32_t BankCounter::takeDegree() {
  ++round_;
  used_ = 0;
  return std::exchange(degree_, 0);
}

BankConflicts BankCounter::count(std::span<const std::optional<uint64_t>> addresses,
                                 uint32_t accessBytes) {
  BankConflicts result;
  auto finish = [&] {
    const uint32_t degree = takeDegree();
    if (degree == 0) return;
    result.degree = std::max(result.degree, degree);
    result.cycles += degree;
    ++result.phases;
  };
  for (uint32_t offset = 0; offset < accessBytes; offset += kWidestAccess) {
    const uint32_t bytes = std::min(accessBytes - offset, kWidestAccess);
    const uint32_t lanes = lanesPerPhase(profile_, bytes);
    for (size_t lane = 0; lane < addresses.size(); ++lane) {
      if (lane != 0 && lane % lanes == 0) finish();
      if (addresses[lane]) add(*addresses[lane] + offset, bytes);
    }
    finish();
  }
  return result;
}

BankConflicts countBankConflicts(const TargetProfile& profile,
                                 std::span<const std::optional<uint64_t>> addresses,
                                 uint32_t accessBytes) {
  return BankCounter(profile).count(addresses, accessBytes);
}

} // namespace lanewise
