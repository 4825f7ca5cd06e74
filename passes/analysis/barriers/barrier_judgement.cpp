#include "analysis/barriers/barrier_judgement.h"

#include "analysis/module/indirect_calls.h"
#include "text/format_text.h"

#include <algorithm>
#include <utility>

namespace lanewise {
namespace {

std::unique_ptr<Analyses> withoutAssumptions(Analyses& given) {
  static const Assumptions kNone;
  const Assumptions& assumed = given.assumptions();
  if (assumed.specConstants.empty() && !assumed.workgroupSize) return nullptr;
  return std::make_unique<Analyses>(given.module(), kNone);
}

} // namespace

BarrierJudgement::BarrierJudgement(Analyses& given)
    : bare_(withoutAssumptions(given)), analyses_(bare_ ? *bare_ : given),
      module_(analyses_.module()), effects_(analyses_) {
  collect();
  judgesOf_.resize(barriers_.size());
  for (const EntryPoint& entry : analyses_.get<EntryPoints>().all()) {
    if (!entry.function) continue;
    auto judge = std::make_unique<BarrierJudge>(analyses_, effects_, entry, barriers_);
    for (uint32_t n = 0; n < judge->sites().size(); ++n) {
      const uint32_t barrier = judge->sites()[n];
      judgesOf_[barrier].push_back({judge.get(), n});
      // Barriers mean something else in other stages.
      if (entry.model != spv::ExecutionModel::GLCompute) barriers_[barrier].barrier.isKnown = false;
    }
    judges_.push_back(std::move(judge));
  }
}

void BarrierJudgement::collect() {
  // With modules whose calls and accesses are not known.
  const bool isLinked = module_.declares(spv::Capability::Linkage);
  for (InstRef i : module_.insts()) {
    if (!isBarrier(module_.opcode(i)) || !module_.blockOf(i)) continue;
    JudgedBarrier found;
    found.barrier = readBarrier(analyses_, i);
    // Nor are those of what an instruction calls back.
    const FunctionRef function = module_.functionOf(module_.blockOf(i));
    if (isLinked || analyses_.get<IndirectCalls>().mayRun(function)) found.barrier.isKnown = false;
    found.name = formatText("barrier{}", barriers_.size() + 1);
    barriers_.push_back(std::move(found));
  }
}

bool BarrierJudgement::hasChanges() const {
  return std::any_of(barriers_.begin(), barriers_.end(), [](const JudgedBarrier& b) {
    return !b.isAlive() || b.droppedClasses != 0 || b.isWidened;
  });
}

bool BarrierJudgement::ask(JudgedBarrier& barrier, const MayChange& mayChange) {
  if (barrier.isRefused) return false;
  barrier.isRefused = !mayChange(barrier.name);
  return !barrier.isRefused;
}

/// A memory barrier of scope QueueFamily. llvmpipe (Mesa 22.3.6) makes one barrier of it and of a
/// control barrier beside it that orders nothing, and does not wait at that one.
bool BarrierJudgement::hasWiderFence() const {
  return std::ranges::any_of(barriers_, [](const JudgedBarrier& other) {
    const Barrier& b = other.barrier;
    return other.isAlive() && !b.isControl && (!b.isKnown || b.memory == spv::Scope::QueueFamily);
  });
}

/// Drops the classes that are not needed; with them all goes whatever else the semantics said.
bool BarrierJudgement::drop(JudgedBarrier& barrier, uint32_t neededClasses,
                            const MayChange& mayChange) {
  Barrier& b = barrier.barrier;
  uint32_t dropped = 0, bits = 0;
  const auto isNeeded = [&](MemoryClass memory) {
    return b.touches(memory) && (neededClasses >> uint32_t(memory) & 1) != 0;
  };
  bool mustKeepOne =
      b.isControl && std::ranges::none_of(kMemoryClasses, isNeeded) && hasWiderFence();
  for (MemoryClass memory : kMemoryClasses) {
    if (!b.touches(memory) || isNeeded(memory) || std::exchange(mustKeepOne, false)) continue;
    dropped |= 1u << uint32_t(memory);
    bits |= semanticsBitsOf(memory);
  }
  if (dropped == 0 || !ask(barrier, mayChange)) return false;
  b.semantics &= ~bits;
  const bool isEmpty = std::none_of(std::begin(kMemoryClasses), std::end(kMemoryClasses),
                                    [&](MemoryClass memory) { return b.touches(memory); });
  if (isEmpty) b.semantics = 0;
  barrier.droppedClasses |= dropped;
  return true;
}

bool BarrierJudgement::judge(uint32_t n, const MayChange& mayChange) {
  JudgedBarrier& barrier = barriers_[n];
  if (!barrier.isAlive() || judgesOf_[n].empty()) return false;
  std::vector<BarrierVerdict> verdicts;
  uint32_t neededClasses = 0;
  for (auto [judge, number] : judgesOf_[n]) {
    verdicts.push_back(judge->judge(number));
    neededClasses |= verdicts.back().neededClasses;
  }
  auto needing = std::find_if(verdicts.begin(), verdicts.end(),
                              [](const BarrierVerdict& v) { return v.need != BarrierNeed::None; });
  if (needing == verdicts.end()) {
    if (!ask(barrier, mayChange)) return false;
    barrier.fate = JudgedBarrier::Fate::Removed;
    barrier.verdicts = std::move(verdicts);
    return true;
  }
  barrier.verdicts = {*needing};
  return drop(barrier, neededClasses, mayChange);
}

bool BarrierJudgement::judgeAll(const MayChange& mayChange) {
  bool changed = false;
  for (uint32_t n = 0; n < barriers_.size(); ++n) changed = judge(n, mayChange) || changed;
  return changed;
}

/// One barrier that does what two did: all that either ordered, as far as either reached.
bool BarrierJudgement::merge(uint32_t first, uint32_t second, const MayChange& mayChange) {
  const bool keepsSecond =
      barriers_[second].barrier.isControl && !barriers_[first].barrier.isControl;
  const uint32_t keptIndex = keepsSecond ? second : first;
  JudgedBarrier& kept = barriers_[keptIndex];
  JudgedBarrier& gone = barriers_[keepsSecond ? first : second];
  Barrier& k = kept.barrier;
  const Barrier& g = gone.barrier;
  const auto memory = rankOf(g.memory) > rankOf(k.memory) ? g.memory : k.memory;
  // Where one of two is waited at, so is the one that they become.
  if (memory == spv::Scope::QueueFamily && (k.waitsEverywhere() || g.waitsEverywhere()))
    return false;
  if (kept.isRefused || !ask(gone, mayChange)) return false;
  const uint32_t semantics = unionOfSemantics(k.semantics, g.semantics);
  const auto execution = rankOf(g.execution) > rankOf(k.execution) ? g.execution : k.execution;
  kept.isWidened = kept.isWidened || semantics != k.semantics || memory != k.memory ||
                   (k.isControl && execution != k.execution);
  k.semantics = semantics;
  k.memory = memory;
  if (k.isControl) k.execution = execution;
  gone.fate = JudgedBarrier::Fate::Merged;
  gone.mergedInto = keptIndex;
  return true;
}

bool BarrierJudgement::mergeAll(const MayChange& mayChange) {
  bool changed = false;
  auto mayMerge = [&](uint32_t n) {
    return barriers_[n].isAlive() && barriers_[n].barrier.isKnown && !judgesOf_[n].empty();
  };
  for (uint32_t n = 0; n < barriers_.size(); ++n) {
    if (!mayMerge(n)) continue;
    uint32_t next = n + 1;
    while (next < barriers_.size() && !barriers_[next].isAlive()) ++next;
    if (next == barriers_.size() || !mayMerge(next)) continue;
    // Stretches are the same for every entry point; numbers are not.
    auto [judge, first] = judgesOf_[n].front();
    const auto& numbers = judgesOf_[next];
    auto second = std::find_if(numbers.begin(), numbers.end(),
                               [judge = judge](auto& x) { return x.first == judge; });
    // With nothing between them, in one block: whoever comes to the one comes to the other, in
    // whatever flow that is.
    if (second == numbers.end() || !judge->areAdjacent(first, second->second)) continue;
    changed = merge(n, next, mayChange) || changed;
  }
  return changed;
}

void BarrierJudgement::decide(const MayChange& mayChange) {
  // Each round removes, merges or narrows something, so this ends.
  while (judgeAll(mayChange) || mergeAll(mayChange)) {
  }
}

} // namespace lanewise
