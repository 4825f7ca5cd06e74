#include "analysis/module/analyses.h"

#include <algorithm>
#include <cassert>

namespace lanewise {

bool PreservedAnalyses::has(AnalysisId id) const {
  return std::find(ids_.begin(), ids_.end(), id) != ids_.end();
}

Analyses::Analyses(const Module& module, const Assumptions& assumptions)
    : module_(module), assumptions_(assumptions) {}

Analyses::~Analyses() = default;

Analyses::Held* Analyses::find(AnalysisId id) const {
  for (const std::unique_ptr<Held>& held : held_)
    if (held->id == id) return held.get();
  return nullptr;
}

void Analyses::beginMaking(AnalysisId id) {
  assert(
      std::none_of(making_.begin(), making_.end(), [&](const Making& m) { return m.id == id; }) &&
      "an analysis that depends on itself");
  making_.push_back({id, {}});
}

void Analyses::endMaking(std::unique_ptr<Held> made) {
  made->madeOf = std::move(making_.back().asked);
  making_.pop_back();
  held_.push_back(std::move(made));
}

void Analyses::invalidateExcept(const PreservedAnalyses& preserved) {
  std::vector<std::unique_ptr<Held>> kept;
  auto isKept = [&](AnalysisId id) {
    return std::any_of(kept.begin(), kept.end(),
                       [&](const std::unique_ptr<Held>& k) { return k->id == id; });
  };
  for (std::unique_ptr<Held>& held : held_)
    if (preserved.has(held->id) && std::all_of(held->madeOf.begin(), held->madeOf.end(), isKept))
      kept.push_back(std::move(held));
  // Those that go refer to others that stand before them.
  while (!held_.empty()) held_.pop_back();
  held_ = std::move(kept);
}

std::string_view Analyses::firstStale() {
  Analyses fresh(module_, assumptions_);
  for (const std::unique_ptr<Held>& held : held_)
    if (!held->isSame(fresh)) return held->name;
  return {};
}

} // namespace lanewise
