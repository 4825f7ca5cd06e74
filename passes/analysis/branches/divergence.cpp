#include "analysis/branches/divergence.h"

#include <algorithm>
#include <vector>

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

namespace {

/// Calls `visit(subgroup, value)` for each lane of a workgroup. False when the values are not
/// known, or `visit` has seen enough.
template <class Visit>
bool forEachLane(Affine& affine, const std::array<uint32_t, 3>& size, uint32_t subgroupSize,
                 Id value, BlockRef block, Visit&& visit) {
  const AffineExpr& form = affine.of(value);
  const uint64_t invocations = uint64_t(size[0]) * size[1] * size[2];
  if (form.dependsOnSpec || !affine.isEvaluable(form) || invocations > kMaxCountedInvocations ||
      affine.uniformStates(std::array{&form}, block).count != 1)
    return false;
  for (uint64_t n = 0; n < invocations; ++n) {
    const uint32_t subgroup = uint32_t(n / subgroupSize);
    const LaneContext lane{localIdOf(n, size), uint32_t(n % subgroupSize), subgroup, 0};
    const auto here = affine.evaluate(form, lane);
    if (!here || !visit(subgroup, *here)) return false;
  }
  return true;
}

} // namespace

std::optional<SubgroupSplits> countSplits(Affine& affine, const std::array<uint32_t, 3>& size,
                                          uint32_t subgroupSize, Id condition, BlockRef block) {
  std::vector<std::array<bool, 2>> taken; // by subgroup
  const bool isKnown =
      forEachLane(affine, size, subgroupSize, condition, block, [&](uint32_t subgroup, uint32_t v) {
        taken.resize(subgroup + 1);
        taken[subgroup][v != 0] = true;
        return true;
      });
  if (!isKnown) return std::nullopt;
  SubgroupSplits splits;
  for (auto [no, yes] : taken) {
    ++splits.subgroups;
    splits.anyTrue += yes;
    splits.anyFalse += no;
    splits.splitting += yes && no;
  }
  return splits;
}

bool isSameInSubgroups(Affine& affine, const std::array<uint32_t, 3>& size, uint32_t subgroupSize,
                       Id value, BlockRef block) {
  std::vector<uint32_t> first; // by subgroup
  return forEachLane(affine, size, subgroupSize, value, block, [&](uint32_t subgroup, uint32_t v) {
    if (subgroup == first.size()) first.push_back(v);
    return v == first[subgroup];
  });
}

} // namespace lanewise
