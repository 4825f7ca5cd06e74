#include "analysis/control_flow/counter_bound.h"

#include "ir/integer_semantics.h"

namespace lanewise {

KnownNumber KnownNumber::literal(uint64_t value, uint32_t width) {
  return {wrapped(value, width), wrapped(~uint64_t(0), width), wrapped(value, width)};
}

bool failsAtSomeTime(const Comparison& comparison, uint32_t width, std::optional<uint64_t> start,
                     uint64_t step, const KnownNumber& bound) {
  const uint64_t mask = wrapped(~uint64_t(0), width);
  // Turned round by half of all numbers, signed ones have the order of unsigned ones.
  const uint64_t turn = comparison.isSigned ? uint64_t(1) << (width - 1) : 0;
  if (start) start = (*start + turn) & mask;
  const uint64_t stride = step & (~step + 1); // x takes every value that is start modulo stride
  const uint64_t least = start ? *start % stride : stride - 1;
  const uint64_t most = mask - (stride - 1) + (start ? *start % stride : 0);

  const uint64_t bits = (bound.bits + turn) & bound.isKnown;
  const bool hasLimit = bound.most < (turn == 0 ? mask : turn);
  const uint64_t lowest = hasLimit ? turn : 0, highest = hasLimit ? turn + bound.most : mask;
  const uint64_t leastBound = lowest + ((bits - lowest) & bound.isKnown);
  const uint64_t mostBound = highest - ((highest - bits) & bound.isKnown);
  switch (comparison.relation) {
  case Relation::Equal:
    return true; // what is equal is not so after a step
  case Relation::NotEqual:
    return stride == 1 ||
           (start && (bound.isKnown & (stride - 1)) == stride - 1 && (bits - *start) % stride == 0);
  case Relation::Less:
    return most >= mostBound;
  case Relation::LessEqual:
    return most > mostBound;
  case Relation::Greater:
    return least <= leastBound;
  case Relation::GreaterEqual:
    return least < leastBound;
  }
  return false;
}

} // namespace lanewise
