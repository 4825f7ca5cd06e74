#include "analysis/module/comparison.h"

#include <utility>

namespace lanewise {

std::optional<Comparison> comparisonOf(spv::Op op) {
  switch (op) {
  case spv::Op::OpSLessThan:
    return Comparison{Relation::Less, true};
  case spv::Op::OpULessThan:
    return Comparison{Relation::Less, false};
  case spv::Op::OpSLessThanEqual:
    return Comparison{Relation::LessEqual, true};
  case spv::Op::OpULessThanEqual:
    return Comparison{Relation::LessEqual, false};
  case spv::Op::OpSGreaterThan:
    return Comparison{Relation::Greater, true};
  case spv::Op::OpUGreaterThan:
    return Comparison{Relation::Greater, false};
  case spv::Op::OpSGreaterThanEqual:
    return Comparison{Relation::GreaterEqual, true};
  case spv::Op::OpUGreaterThanEqual:
    return Comparison{Relation::GreaterEqual, false};
  case spv::Op::OpIEqual:
    return Comparison{Relation::Equal, false};
  case spv::Op::OpINotEqual:
    return Comparison{Relation::NotEqual, false};
  default:
    return std::nullopt;
  }
}

Relation mirrored(Relation r) {
  switch (r) {
  case Relation::Less:
    return Relation::Greater;
  case Relation::LessEqual:
    return Relation::GreaterEqual;
  case Relation::Greater:
    return Relation::Less;
  case Relation::GreaterEqual:
    return Relation::LessEqual;
  default:
    return r;
  }
}

Relation negated(Relation r) {
  switch (r) {
  case Relation::Less:
    return Relation::GreaterEqual;
  case Relation::LessEqual:
    return Relation::Greater;
  case Relation::Greater:
    return Relation::LessEqual;
  case Relation::GreaterEqual:
    return Relation::Less;
  case Relation::Equal:
    return Relation::NotEqual;
  case Relation::NotEqual:
    return Relation::Equal;
  }
  return r;
}

std::optional<uint64_t> countWhile(Comparison c, uint32_t start, int64_t step, uint32_t bound) {
  if (c.relation == Relation::Equal) return start == bound ? 1 : 0; // the step is not 0
  if (c.relation == Relation::NotEqual) {
    const uint64_t distance = step > 0 ? bound - start : start - bound; // modulo 2^32
    const uint64_t stride = uint64_t(step > 0 ? step : -step);
    if (distance % stride != 0) return std::nullopt;
    return distance / stride;
  }
  // The numbers as the comparison sees them.
  int64_t x = c.isSigned ? int64_t(int32_t(start)) : int64_t(start);
  int64_t limit = c.isSigned ? int64_t(int32_t(bound)) : int64_t(bound);
  int64_t least = c.isSigned ? INT32_MIN : 0, most = c.isSigned ? INT32_MAX : UINT32_MAX;
  if (c.relation == Relation::Greater || c.relation == Relation::GreaterEqual) {
    // Turned round zero, "greater" becomes "less".
    x = -x, limit = -limit, step = -step;
    least = -std::exchange(most, -least);
  }
  // Goes on while x <= limit.
  if (c.relation == Relation::Less || c.relation == Relation::Greater) --limit;
  if (x > limit) return 0;
  if (step > 0) {
    const int64_t count = (limit - x) / step + 1;
    if (x + count * step > most) return std::nullopt; // jumps over the limit and wraps
    return uint64_t(count);
  }
  // Runs away from the limit: the first value to fail is the one behind the wrap, if that is beyond
  // it.
  const int64_t count = (x - least) / -step + 1;
  if (x + count * step + (int64_t(1) << 32) <= limit) return std::nullopt;
  return uint64_t(count);
}

} // namespace lanewise
