// Whether a barrier is needed, as one entry point sees it: docs/design/barriers.md has the rule and
// the argument for it.
//
// What --eliminate-redundant-barriers removes and what `redundant-barrier` of lint reports are
// decided here, through analysis/barriers/barrier_judgement.h.
#pragma once

#include "analysis/barriers/barrier_flow.h"
#include "analysis/barriers/invocation_conflicts.h"
#include "analysis/barriers/memory_effects.h"
#include "analysis/module/analyses.h"
#include "analysis/module/barriers.h"
#include "analysis/module/entry_points.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lanewise {

/// Why a barrier stays.
enum class BarrierNeed : uint8_t {
  None,
  UnknownScope,
  DivergentFlow,
  Conflict,    ///< two invocations may meet
  Aliased,     ///< through variables that may be one memory
  Publication, ///< what is done before it is announced to others behind it, or the mirror case
  Convergence, ///< subgroup operations behind it
  TooLarge
};

/// What one entry point says of one barrier.
struct BarrierVerdict {
  BarrierNeed need = BarrierNeed::None; ///< why the barrier as a whole stays
  /// Conflict, Aliased, Publication: the accesses on its two sides. Publication by a fence alone
  /// has only one.
  const MemoryAccess* before = nullptr;
  const MemoryAccess* behind = nullptr;
  InstRef place;              ///< Convergence: the operation; DivergentFlow: the branch
  uint32_t neededClasses = 0; ///< mask of 1 << MemoryClass: bits of the semantics that stay
  // What the proof consists of.
  bool touchesBefore = false, touchesBehind = false;
  size_t ownPairs = 0, disjointPairs = 0;
  std::vector<uint32_t> neighboursBefore, neighboursBehind; ///< indices of JudgedBarriers
};

/// A barrier of the module, and what has become of it.
struct JudgedBarrier {
  enum class Fate : uint8_t { Kept, Removed, Merged };
  Barrier barrier;  ///< as it is now
  std::string name; ///< "barrier1" is the first one of the module
  Fate fate = Fate::Kept;
  bool isRefused = false;      ///< may not be changed
  uint32_t droppedClasses = 0; ///< mask of 1 << MemoryClass
  bool isWidened = false;      ///< orders what another one did as well
  uint32_t mergedInto = 0;     ///< Fate::Merged: index of the other one
  /// Fate::Removed: what each entry point said; Fate::Kept: the first that needs it, if one does.
  std::vector<BarrierVerdict> verdicts;

  bool isAlive() const { return fate == Fate::Kept; }
};

/// Judges the barriers of one entry point against the state of all barriers of the module.
class BarrierJudge {
public:
  /// All must outlive the judge; `barriers` is in module order.
  BarrierJudge(Analyses& analyses, const MemoryEffects& effects, const EntryPoint& entry,
               const std::vector<JudgedBarrier>& barriers);

  /// The barriers that the entry point may run, as indices of `barriers`. The functions below take
  /// positions in this list.
  const std::vector<uint32_t>& sites() const { return siteOf_; }
  BarrierVerdict judge(uint32_t barrier);
  /// Whether nothing stands between two barriers, the second right behind the first.
  bool areAdjacent(uint32_t first, uint32_t second) const;

private:
  bool isUniform(uint32_t barrier) const;
  /// What a neighbour must do in order to do what the barrier does.
  struct Strength {
    int execution = 0, memory = 0;
    uint32_t flags = 0;
  };
  /// The stretches of code on the two sides of a barrier.
  struct Sides {
    BarrierFlow::Region before, behind;
  };
  /// One class of memory around one barrier.
  struct View {
    MemoryClass memory{};
    /// False where nothing but the wait itself orders the class: then only what is certain to be
    /// one variable counts, and any barrier that waits does the same.
    bool isOrdered = false;
    Strength strength;
    BarrierFlow::Stops stops;
    Sides sides;
    std::map<std::pair<const Loop*, bool>, std::vector<Crossings>> crossings;
  };
  struct Touch {
    const MemoryAccess* access;
    uint32_t segment;
  };
  /// What one side of a barrier does that others may learn of, or learns of from them.
  struct Signs {
    const MemoryAccess* access = nullptr;  ///< of the class
    const MemoryAccess* write = nullptr;   ///< the same
    const MemoryAccess* exposed = nullptr; ///< the same, to memory that somebody may write
    const MemoryAccess* given = nullptr;   ///< a signal that somebody may wait for
    const MemoryAccess* seen = nullptr;    ///< a signal that is waited for
    uint32_t signalClasses = 0;            ///< mask of 1 << MemoryClass: where signals are
    bool isReleased = false; ///< something orders the class with the signals for others to see
    bool hasFarFence = false;
  };

  const JudgedBarrier& site(uint32_t barrier) const { return sites_[siteOf_[barrier]]; }
  bool waits(uint32_t barrier, int execution) const;
  bool covers(uint32_t barrier, MemoryClass memory, const Strength& strength) const;
  bool findFences(uint32_t barrier, MemoryClass memory, const BarrierFlow::Region& region,
                  Strength& strength) const;
  Sides search(uint32_t barrier, const BarrierFlow::Stops& stops) const;
  View view(uint32_t barrier, MemoryClass memory, const Sides& waiting) const;
  std::vector<Touch> touches(MemoryClass memory, const BarrierFlow::Region& region) const;
  void judgeClass(uint32_t barrier, View& view, BarrierVerdict& verdict);
  int waitRankOf(uint32_t barrier) const;
  bool hasFarFence(uint32_t barrier, const BarrierFlow::Region& region) const;
  Signs signsOf(uint32_t barrier, const View& view, const BarrierFlow::Region& region) const;
  void judgePublications(uint32_t barrier, const std::vector<View>& views,
                         BarrierVerdict& verdict) const;
  void judgePublication(uint32_t barrier, const View& view, const Sides& sides,
                        BarrierVerdict& verdict) const;
  InstRef findSubgroupOperation(const BarrierFlow::Region& region) const;
  Crossings crossingsOf(uint32_t barrier, View& view, const Touch& x, const Touch& y,
                        const Loop& loop);

  Analyses& analyses_;
  const Module& module_;
  const MemoryEffects& effects_;
  const std::vector<JudgedBarrier>& sites_;
  BarrierFlow flow_;
  InvocationConflicts conflicts_;
  std::vector<uint32_t> siteOf_; ///< by barrier of flow_
};

} // namespace lanewise
