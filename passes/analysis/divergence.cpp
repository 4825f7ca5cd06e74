#include "analysis/divergence.h"

#include <algorithm>

namespace lanewise {
namespace {

/// Puts the workgroup at the origin, which every dispatch has. False when the form rests on
/// anything but the two ids.
bool placeAtOrigin(const Affine& affine, const AffineExpr& e,
                   std::vector<Affine::Assignment>& assigned) {
  return std::all_of(e.terms.begin(), e.terms.end(), [&](auto t) {
    const AffineTerm& term = affine.term(t.first);
    switch (term.kind) {
    case AffineTerm::Kind::LocalId:
      return true;
    case AffineTerm::Kind::WorkgroupId:
      assigned.push_back({t.first, 0});
      return true;
    case AffineTerm::Kind::Derived:
      return std::all_of(term.args.begin(), term.args.end(), [&](uint32_t a) {
        return placeAtOrigin(affine, affine.argument(a), assigned);
      });
    default:
      return false;
    }
  });
}

} // namespace

bool isProvedDivergent(Affine& affine, const EntryPoint& entry, Id value) {
  const auto& size = entry.workgroupSize;
  if (!size || !size->isLiteral || size->invocations() > kMaxCountedInvocations) return false;
  const AffineExpr& e = affine.of(value);
  std::vector<Affine::Assignment> assigned;
  if (e.dependsOnSpec || !placeAtOrigin(affine, e, assigned)) return false;
  std::optional<uint32_t> first;
  for (uint64_t n = 0; n < size->invocations(); ++n) {
    const auto here = affine.evaluate(e, localIdOf(n, size->size), assigned);
    if (!here) return false;
    if (!first) first = here;
    if (*first != *here) return true;
  }
  return false;
}

std::optional<SubgroupSplits> countSplits(Affine& affine, const std::array<uint32_t, 3>& size,
                                          uint32_t subgroupSize, Id condition, BlockRef block) {
  const AffineExpr& form = affine.of(condition);
  const uint64_t invocations = uint64_t(size[0]) * size[1] * size[2];
  if (form.dependsOnSpec || !affine.isEvaluable(form) || invocations > kMaxCountedInvocations ||
      affine.uniformStates(std::array{&form}, block).count != 1)
    return std::nullopt;
  SubgroupSplits splits;
  for (uint64_t first = 0; first < invocations; first += subgroupSize) {
    bool isTaken[] = {false, false};
    for (uint64_t n = first; n < std::min(first + subgroupSize, invocations); ++n) {
      const LaneContext lane{localIdOf(n, size), uint32_t(n - first),
                             uint32_t(first / subgroupSize), 0};
      const auto value = affine.evaluate(form, lane);
      if (!value) return std::nullopt;
      isTaken[*value != 0] = true;
    }
    ++splits.subgroups;
    splits.anyTrue += isTaken[1];
    splits.anyFalse += isTaken[0];
    splits.splitting += isTaken[0] && isTaken[1];
  }
  return splits;
}

} // namespace lanewise
