#include "analysis/divergence.h"

#include <algorithm>

namespace lanewise {
namespace {

/// Workgroups with more invocations are not looked at one by one.
constexpr uint64_t kMaxInvocations = 4096;

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
  if (!size || !size->isLiteral || size->invocations() > kMaxInvocations) return false;
  const AffineExpr& e = affine.of(value);
  std::vector<Affine::Assignment> assigned;
  if (e.dependsOnSpec || !placeAtOrigin(affine, e, assigned)) return false;
  std::optional<uint32_t> first;
  for (uint32_t z = 0; z < size->size[2]; ++z)
    for (uint32_t y = 0; y < size->size[1]; ++y)
      for (uint32_t x = 0; x < size->size[0]; ++x) {
        const auto here = affine.evaluate(e, {x, y, z}, assigned);
        if (!here) return false;
        if (!first) first = here;
        if (*first != *here) return true;
      }
  return false;
}

} // namespace lanewise
