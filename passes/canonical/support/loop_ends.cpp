#include "canonical/support/loop_ends.h"

#include <algorithm>
#include <utility>

namespace lanewise {
namespace {

/// Conditions of real loops join two or three tests.
constexpr uint32_t kMaxDepth = 8;
constexpr uint32_t kWidth = 32; ///< of every InductionVariable

} // namespace

bool failsAtSomeTime(const Comparison& comparison, uint32_t width, std::optional<uint64_t> start,
                     uint64_t step, std::optional<uint64_t> bound) {
  const uint64_t mask = wrapped(~uint64_t(0), width);
  // Turned round by half of all numbers, signed ones have the order of unsigned ones.
  const uint64_t turn = comparison.isSigned ? uint64_t(1) << (width - 1) : 0;
  if (start) start = (*start + turn) & mask;
  if (bound) bound = (*bound + turn) & mask;
  const uint64_t stride = step & (~step + 1); // x takes every value that is start modulo stride
  const uint64_t least = start ? *start % stride : stride - 1;
  const uint64_t most = mask - (stride - 1) + (start ? *start % stride : 0);
  switch (comparison.relation) {
  case Relation::Equal:
    return true; // what is equal is not so after a step
  case Relation::NotEqual:
    return stride == 1 || (start && bound && (*bound - *start) % stride == 0);
  case Relation::Less:
    return most >= bound.value_or(mask);
  case Relation::LessEqual:
    return most > bound.value_or(mask);
  case Relation::Greater:
    return least <= bound.value_or(0);
  case Relation::GreaterEqual:
    return least < bound.value_or(0);
  }
  return false;
}

/// Whether every iteration that comes to its end executes the block, one of no inner loop.
bool LoopEnds::isInEveryIteration(const Loop& loop, BlockRef b) const {
  const auto latches = cfg_.predecessors(loop.header);
  return std::all_of(latches.begin(), latches.end(), [&](BlockRef latch) {
    return !loops_.contains(loop, latch) || dominance_.dominates(b, latch);
  });
}

bool LoopEnds::isCounted(const Loop& loop) const {
  if (loop.inductions.empty()) return false;
  for (BlockRef b : loop.blocks) {
    if (loops_.innermost(b) != &loop) break; // own blocks come first
    const InstRef branch = module_.terminator(b);
    if (module_.opcode(branch) != spv::Op::OpBranchConditional) continue;
    const auto stays = [&](uint32_t word) {
      return loops_.contains(loop, module_.blockOfLabel(module_.idAt(branch, word)));
    };
    const bool staysOn = stays(2);
    if (staysOn != stays(3) && isInEveryIteration(loop, b) &&
        fails(loop, module_.idAt(branch, 1), staysOn, 0))
      return true;
  }
  return false;
}

/// Whether a condition that is computed in each iteration is not always `staysOn`.
bool LoopEnds::fails(const Loop& loop, Id condition, bool staysOn, uint32_t depth) const {
  const InstRef def = module_.def(condition);
  if (!def || depth == kMaxDepth) return false;
  const auto operandFails = [&](uint32_t word, bool stays) {
    return fails(loop, module_.idAt(def, word), stays, depth + 1);
  };
  switch (module_.opcode(def)) {
  case spv::Op::OpLogicalNot:
    return operandFails(3, !staysOn);
  case spv::Op::OpLogicalAnd:
    return staysOn && (operandFails(3, true) || operandFails(4, true));
  case spv::Op::OpLogicalOr:
    return !staysOn && (operandFails(3, false) || operandFails(4, false));
  default:
    return comparisonFails(loop, def, staysOn);
  }
}

bool LoopEnds::comparisonFails(const Loop& loop, InstRef i, bool staysOn) const {
  std::optional<Comparison> comparison = comparisonOf(module_.opcode(i));
  if (!comparison) return false;
  if (!staysOn) comparison->relation = negated(comparison->relation);
  Id bound = module_.idAt(i, 4);
  std::optional<Counter> counter = counterOf(loop, module_.idAt(i, 3));
  if (!counter) {
    bound = module_.idAt(i, 3);
    counter = counterOf(loop, module_.idAt(i, 4));
    comparison->relation = mirrored(comparison->relation);
  }
  if (!counter || !isInvariant(loop, bound)) return false;
  std::optional<uint64_t> start = constants_.literal(counter->induction->init);
  if (start) start = wrapped(*start + counter->offset, kWidth);
  return failsAtSomeTime(*comparison, kWidth, start, uint32_t(counter->induction->step),
                         constants_.literal(bound));
}

std::optional<LoopEnds::Counter> LoopEnds::counterOf(const Loop& loop, Id value) const {
  Id phi = withoutSignCast(module_, value);
  const InstRef def = module_.def(phi);
  if (!def) return std::nullopt;
  const spv::Op op = module_.opcode(def);
  uint32_t offset = 0;
  if (op == spv::Op::OpIAdd || op == spv::Op::OpISub) {
    phi = module_.idAt(def, 3);
    Id by = module_.idAt(def, 4);
    if (op == spv::Op::OpIAdd && constants_.literal(phi)) std::swap(phi, by);
    const auto literal = constants_.literal(by);
    if (!literal) return std::nullopt;
    offset = uint32_t(op == spv::Op::OpISub ? 0 - *literal : *literal);
    phi = withoutSignCast(module_, phi);
  }
  const Loop* of = nullptr;
  const InductionVariable* induction = loops_.inductionOf(module_.def(phi), &of);
  if (!induction || of != &loop || !induction->stepIsLiteral) return std::nullopt;
  return Counter{induction, offset};
}

/// An undefined value may be another one each time that it is looked at.
bool LoopEnds::isInvariant(const Loop& loop, Id value) const {
  const InstRef def = module_.def(value);
  return def && module_.opcode(def) != spv::Op::OpUndef &&
         !loops_.contains(loop, module_.blockOf(def));
}

} // namespace lanewise
