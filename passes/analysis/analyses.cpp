#include "analysis/analyses.h"

#include "analysis/assumptions.h"
#include "analysis/cfg.h"
#include "analysis/constants.h"
#include "analysis/decorations.h"
#include "analysis/def_use.h"
#include "analysis/dominance.h"
#include "analysis/entry_points.h"
#include "analysis/loops.h"
#include "analysis/source_lines.h"
#include "analysis/types.h"
#include "analysis/uniformity.h"

#include <array>

namespace lanewise {

/// Each analysis behind a pointer of its own, so that dropping one leaves references to the others
/// alone.
struct Analyses::Held {
  std::unique_ptr<DefUse> defUse;
  std::unique_ptr<Cfg> cfg;
  std::unique_ptr<Dominance> dominance;
  std::unique_ptr<Loops> loops;
  std::unique_ptr<Types> types;
  std::unique_ptr<Constants> constants;
  std::unique_ptr<Decorations> decorations;
  std::unique_ptr<EntryPoints> entryPoints;
  std::unique_ptr<SourceLines> sourceLines;
  std::array<std::unique_ptr<Uniformity>, 3> uniformity; ///< by UniformScope
};

namespace {

/// What `slot` holds, made from the arguments when it holds nothing yet.
template <class T, class... Args>
const T& get(std::unique_ptr<T>& slot, Args&&... args) {
  if (!slot) slot = std::make_unique<T>(std::forward<Args>(args)...);
  return *slot;
}

} // namespace

Analyses::Analyses(const Module& module, const Assumptions& assumptions)
    : module_(module), assumptions_(assumptions), held_(std::make_unique<Held>()) {}

Analyses::~Analyses() = default;

const DefUse& Analyses::defUse() {
  return get(held_->defUse, module_);
}
const Cfg& Analyses::cfg() {
  return get(held_->cfg, module_);
}
const Constants& Analyses::constants() {
  return get(held_->constants, module_, assumptions_);
}
const Decorations& Analyses::decorations() {
  return get(held_->decorations, module_);
}
const SourceLines& Analyses::sourceLines() {
  return get(held_->sourceLines, module_);
}

const Dominance& Analyses::dominance() {
  if (held_->dominance) return *held_->dominance;
  return get(held_->dominance, module_, cfg());
}

const Loops& Analyses::loops() {
  if (held_->loops) return *held_->loops;
  return get(held_->loops, module_, cfg(), dominance(), constants());
}

const Types& Analyses::types() {
  if (held_->types) return *held_->types;
  return get(held_->types, module_, constants(), decorations());
}

const EntryPoints& Analyses::entryPoints() {
  if (held_->entryPoints) return *held_->entryPoints;
  return get(held_->entryPoints, module_, defUse(), constants(), decorations(), assumptions_);
}

const Uniformity& Analyses::uniformity() {
  return uniformity(UniformScope::Workgroup);
}
const Uniformity& Analyses::uniformity(UniformScope scope) {
  return get(held_->uniformity.at(size_t(scope)), *this, scope);
}

void Analyses::invalidateExcept(AnalysisSet preserved) {
  auto drop = [&](AnalysisKind kind, auto& slot) {
    if (!preserved.has(kind)) slot.reset();
  };
  if (!preserved.has(AnalysisKind::Constants) || !preserved.has(AnalysisKind::Decorations))
    held_->types.reset(); // it points to both
  drop(AnalysisKind::DefUse, held_->defUse);
  drop(AnalysisKind::Cfg, held_->cfg);
  drop(AnalysisKind::Dominance, held_->dominance);
  drop(AnalysisKind::Loops, held_->loops);
  drop(AnalysisKind::Types, held_->types);
  drop(AnalysisKind::Constants, held_->constants);
  drop(AnalysisKind::Decorations, held_->decorations);
  drop(AnalysisKind::EntryPoints, held_->entryPoints);
  drop(AnalysisKind::SourceLines, held_->sourceLines);
  for (auto& slot : held_->uniformity) drop(AnalysisKind::Uniformity, slot);
}

AnalysisKind Analyses::firstStale() {
  Analyses fresh(module_, assumptions_);
  AnalysisKind stale = AnalysisKind::Count;
  auto compare = [&](AnalysisKind kind, const auto& slot, const auto& recompute) {
    if (stale == AnalysisKind::Count && slot && !(*slot == recompute())) stale = kind;
  };
  compare(
      AnalysisKind::DefUse, held_->defUse, [&]() -> auto& { return fresh.defUse(); });
  compare(
      AnalysisKind::Cfg, held_->cfg, [&]() -> auto& { return fresh.cfg(); });
  compare(
      AnalysisKind::Dominance, held_->dominance, [&]() -> auto& { return fresh.dominance(); });
  compare(
      AnalysisKind::Loops, held_->loops, [&]() -> auto& { return fresh.loops(); });
  compare(
      AnalysisKind::Types, held_->types, [&]() -> auto& { return fresh.types(); });
  compare(
      AnalysisKind::Constants, held_->constants, [&]() -> auto& { return fresh.constants(); });
  compare(
      AnalysisKind::Decorations,
      held_->decorations, [&]() -> auto& { return fresh.decorations(); });
  compare(
      AnalysisKind::EntryPoints,
      held_->entryPoints, [&]() -> auto& { return fresh.entryPoints(); });
  compare(
      AnalysisKind::SourceLines,
      held_->sourceLines, [&]() -> auto& { return fresh.sourceLines(); });
  for (auto& slot : held_->uniformity)
    compare(
        AnalysisKind::Uniformity, slot, [&]() -> auto& { return fresh.uniformity(slot->scope()); });
  return stale;
}

} // namespace lanewise
