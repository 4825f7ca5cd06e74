// Further inputs for branches that all others have sent one way: what lanes held when they came to
// one says what would have sent them the other way (interpreter/steering.h). Where that leads to
// another branch, the next round starts from there.
#pragma once

#include "verify/inputs/contents.h"
#include "verify/inputs/rounds.h"
#include "verify/program/exercised.h"
#include "verify/verify.h"

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace lanewise::driver {

/// Inputs in which the original is sound, and what the programs took with them.
struct SoundInputs {
  Scenario scenario;
  std::vector<Exercised> exercised; ///< by program; empty: it did not run
};

class BranchRounds {
public:
  /// For generated scenarios of one shader. All must outlive it.
  BranchRounds(std::span<const ProgramVariant> variants, const std::vector<bool>& isAsked,
               uint32_t subgroupSize, uint64_t seed, RunCaches& caches)
      : variants_(variants), isAsked_(isAsked), subgroupSize_(subgroupSize), seed_(seed),
        caches_(caches) {}

  /// What to try next, given what was tried and what all of it took, by program: all branches
  /// at once, then each alone. Null where nothing more is known to try.
  std::optional<RoundAim> next(std::span<const SoundInputs> tried,
                               std::span<const Exercised> taken);
  /// Instructions of the interpreter's code that finding it out has taken.
  uint64_t cost() const { return cost_; }

private:
  struct Target {
    size_t program = 0;
    uint32_t edge = 0;
    auto operator<=>(const Target&) const = default;
  };
  struct Edits;
  class Search;
  std::vector<Target> openTargets(size_t start, const SoundInputs& inputs,
                                  std::span<const Target> targets) const;
  static Scenario edited(const Scenario& base, std::span<const Edits> which);
  std::vector<Edits> findEdits(const Scenario& scenario, std::span<const Target> targets);

  std::span<const ProgramVariant> variants_;
  const std::vector<bool>& isAsked_;
  const uint32_t subgroupSize_;
  const uint64_t seed_;
  RunCaches& caches_;
  std::map<Target, std::set<size_t>> asked_; ///< with which of the inputs
  uint64_t cost_ = 0;
};

} // namespace lanewise::driver
