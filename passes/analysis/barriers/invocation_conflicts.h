// Whether two different invocations of a workgroup may meet at one location, decided by looking at
// every invocation. docs/design/barriers.md tells how, and why no solver stands behind it.
//
// Conservative: "no" is proved for every value that anything uniform, any loop counter and any
// value read from memory can take, in 32-bit arithmetic with its wrap-around; "yes" may be wrong.
// Where the workgroup size is not literal, or is that of one invocation, all that is proved is that
// an invocation's own element, `s[gl_LocalInvocationIndex]`, is nobody else's.
#pragma once

#include "analysis/barriers/barrier_flow.h"
#include "analysis/barriers/memory_effects.h"
#include "analysis/module/analyses.h"
#include "analysis/module/entry_points.h"
#include "analysis/values/affine.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace lanewise {

/// Why two accesses cannot conflict, or that they may.
enum class AccessConflict : uint8_t {
  OnlyReads,         ///< neither writes
  Disjoint,          ///< different memory, or parts of it that constants tell apart
  OwnElements,       ///< no two different invocations reach one element
  MayConflict,       ///< two invocations may reach one element
  MayConflictAliased ///< the two go through different variables that may be one memory; an
                     ///< invocation
                     ///  may meet itself
};
constexpr bool isConflict(AccessConflict m) {
  return m == AccessConflict::MayConflict || m == AccessConflict::MayConflictAliased;
}

class InvocationConflicts {
public:
  /// The workgroup size of `entry` is used only where it is literal and larger than one invocation.
  InvocationConflicts(Analyses& analyses, const MemoryEffects& effects, const EntryPoint& entry);
  ~InvocationConflicts();

  /// How often a loop's header may be passed on the ways from the first access to the second one.
  using CrossingsOf = std::function<Crossings(const Loop&)>;

  /// Whether an invocation's access `x` and a later access `y` by another invocation may meet. The
  /// two invocations pass, at the same time, something that all invocations of the workgroup reach
  /// together (a barrier) between the two accesses; what is uniform has one value for both as long
  /// as it is not computed anew on the way.
  AccessConflict conflictOf(const MemoryAccess& x, const MemoryAccess& y,
                            const CrossingsOf& crossings);

  /// Literal number of invocations, nothing when it is not known or too large to look at each.
  std::optional<uint32_t> invocations() const;

private:
  struct Place;
  struct Problem;
  struct Tables;

  AccessConflict compare(const MemoryAccess& x, const MemoryAccess& y,
                         const CrossingsOf& crossings);
  const Place& placeOf(const MemoryAccess& access);
  std::vector<std::pair<AffineExpr, bool>> guardsOf(BlockRef block);
  bool mayConflictInElement(const Place& a, const Place& b, size_t common,
                            const CrossingsOf& crossings);
  bool areOwnWhateverTheSize(const Place& a, const Place& b, size_t common,
                             const CrossingsOf& crossings);
  uint32_t neededComponents() const;
  uint32_t componentsToldBy(uint32_t term) const;
  const Loop* loopOf(uint32_t term, bool& isFixed) const;

  Analyses& analyses_;
  const MemoryEffects& effects_;
  const EntryPoint& entry_;
  std::optional<std::array<uint32_t, 3>> size_;
  bool isReducible_ = true; ///< the entry point's function
  std::unique_ptr<Affine> affine_;
  std::unordered_map<const MemoryAccess*, std::unique_ptr<Place>> places_; ///< looked up only
  std::unordered_map<BlockRef, std::vector<std::pair<AffineExpr, bool>>> guards_;
  uint32_t lanes_ = 0; ///< of the workgroup; 0: not known, or too many to look at each
  uint64_t budget_;
  std::unique_ptr<Tables> tables_; ///< where lanes_ is known
};

} // namespace lanewise
