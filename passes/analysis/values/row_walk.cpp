#include "analysis/values/row_walk.h"

#include "analysis/control_flow/loops.h"

#include <algorithm>

namespace lanewise {

bool walksAlongRow(Analyses& analyses, Affine& affine, std::span<const Id> indices, BlockRef block,
                   uint32_t count) {
  const Module& module = analyses.module();
  const Loop* loop = analyses.get<Loops>().innermost(block);
  if (!loop || !loop->tripCount || indices.empty() || count < 2) return false;
  const auto isCounter = [&](uint32_t number) {
    const AffineTerm& term = affine.term(number);
    const InstRef def = module.def(term.id);
    return term.kind == AffineTerm::Kind::Induction && def && module.blockOf(def) == loop->header &&
           module.opcode(def) == spv::Op::OpLabel;
  };
  const AffineExpr& last = affine.of(indices.back());
  if (*loop->tripCount % count != 0 || last.constant % count != 0) return false;
  bool goesOnByOne = false;
  for (const auto& [term, factor] : last.terms) {
    if (isCounter(term))
      goesOnByOne = factor == 1;
    else if (factor % count != 0)
      return false;
  }
  const auto hasCounter = [&](Id index) {
    const auto& terms = affine.of(index).terms;
    return std::any_of(terms.begin(), terms.end(),
                       [&](const auto& term) { return isCounter(term.first); });
  };
  return goesOnByOne && std::none_of(indices.begin(), indices.end() - 1, hasCounter);
}

} // namespace lanewise
