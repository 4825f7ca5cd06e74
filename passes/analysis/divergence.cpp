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

} // namespace lanewise
