#include "analysis/control_flow/loop_ends.h"

#include "analysis/module/buffer_variables.h"
#include "analysis/module/memory_operands.h"

#include <algorithm>
#include <spirv/unified1/GLSL.std.450.h>
#include <utility>

namespace lanewise {
namespace {

/// Conditions of real loops join two or three tests.
constexpr uint32_t kMaxDepth = 8;
constexpr uint32_t kWidth = 32; ///< of every InductionVariable
/// That are counted. A number that is halved is 0 after 32 of them.
constexpr uint64_t kMostSteps = 64;
/// Of a quotient: sums of 8 numbers times this fit 64 bits.
constexpr int64_t kMostDivisor = 1 << 24;

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

std::optional<LoopEnd> LoopEnds::endOf(const Loop& loop) const {
  std::optional<LoopEnd> first;
  for (BlockRef b : loop.blocks) {
    if (loops_.innermost(b) != &loop) break; // own blocks come first
    const InstRef branch = module_.terminator(b);
    if (module_.opcode(branch) != spv::Op::OpBranchConditional) continue;
    const auto stays = [&](uint32_t word) {
      return loops_.contains(loop, module_.blockOfLabel(module_.idAt(branch, word)));
    };
    const bool staysOn = stays(2);
    if (staysOn == stays(3) || !isInEveryIteration(loop, b)) continue;
    const Count count = countOf(loop, module_.idAt(branch, 1), staysOn, 0);
    if (count && (!first || *count < first->most)) first = LoopEnd{b, *count};
  }
  return first;
}

/// How often a condition that is computed in each iteration can be `staysOn`; nothing: always.
LoopEnds::Count LoopEnds::countOf(const Loop& loop, Id condition, bool staysOn,
                                  uint32_t depth) const {
  const InstRef def = module_.def(condition);
  if (!def || depth == kMaxDepth) return {};
  const auto ofOperand = [&](uint32_t word) {
    return countOf(loop, module_.idAt(def, word), staysOn, depth + 1);
  };
  switch (module_.opcode(def)) {
  case spv::Op::OpLogicalNot:
    return countOf(loop, module_.idAt(def, 3), !staysOn, depth + 1);
  case spv::Op::OpLogicalAnd:
  case spv::Op::OpLogicalOr: {
    // Both parts must let it go on.
    if (staysOn != (module_.opcode(def) == spv::Op::OpLogicalAnd)) return {};
    const Count left = ofOperand(3), right = ofOperand(4);
    return left && right ? std::min(left, right) : left ? left : right;
  }
  default:
    return countOfComparison(loop, def, staysOn);
  }
}

LoopEnds::Count LoopEnds::countOfComparison(const Loop& loop, InstRef i, bool staysOn) const {
  std::optional<Comparison> comparison = comparisonOf(module_.opcode(i));
  if (!comparison) return {};
  if (!staysOn) comparison->relation = negated(comparison->relation);
  Id boundId = module_.idAt(i, 4);
  std::optional<Counter> counter = counterOf(loop, module_.idAt(i, 3));
  if (!counter) {
    if (const Count count = countOfQuotients(loop, *comparison, module_.idAt(i, 3), boundId))
      return count;
    boundId = module_.idAt(i, 3);
    counter = counterOf(loop, module_.idAt(i, 4));
    comparison->relation = mirrored(comparison->relation);
  }
  if (!counter) return countOfQuotients(loop, *comparison, module_.idAt(i, 4), boundId);
  if (!isInvariant(loop, boundId)) return {};
  std::optional<uint64_t> start = constants_.literal(counter->induction->init);
  if (start) start = wrapped(*start + counter->offset, kWidth);
  const std::optional<uint64_t> bound = constants_.literal(boundId);
  const int64_t step = counter->induction->step;
  if (!failsAtSomeTime(*comparison, kWidth, start, uint32_t(step), bound)) return {};
  if (start && bound)
    if (const Count count = countWhile(*comparison, uint32_t(*start), step, uint32_t(*bound)))
      return count;
  return UINT32_MAX; // it fails for one of 2^32 numbers at least
}

// ---- numbers that are divided, as in `for (s = 32; s > 0; s /= 2)` ----

int64_t LoopEnds::Quotient::of(int64_t p) const {
  const int64_t sum = p + add;
  return sum / divisor - (sum % divisor < 0 ? 1 : 0);
}

/// How often `value relation bound` can hold, where the value comes out smaller from each iteration
/// behind it. A quotient grows with its number, so none stays longer than the largest.
LoopEnds::Count LoopEnds::countOfQuotients(const Loop& loop, const Comparison& comparison, Id value,
                                           Id bound) const {
  const Id phiId = withoutSignCast(module_, value);
  const InstRef phi = module_.def(phiId);
  const auto literal = constants_.value(bound);
  if (!literal || !literal->isLiteral || literal->width != kWidth || !phi ||
      module_.opcode(phi) != spv::Op::OpPhi || module_.blockOf(phi) != loop.header || !isExact(phi))
    return {};
  const int64_t limit = comparison.isSigned ? INT32_MAX : UINT32_MAX;
  const int64_t than = comparison.isSigned ? literal->asSigned() : int64_t(literal->bits);
  Staying staying{0, limit, limit};
  if (comparison.relation == Relation::Greater)
    staying.least = than + 1;
  else if (comparison.relation == Relation::GreaterEqual)
    staying.least = than;
  else if (comparison.relation == Relation::NotEqual && than == 0)
    staying.least = 1;
  if (staying.least < 1) return {};

  Id next;
  for (uint32_t n = 3; n + 1 < module_.wordCount(phi); n += 2) {
    if (!loops_.contains(loop, module_.blockOfLabel(module_.idAt(phi, n + 1)))) continue;
    if (next) return {};
    next = module_.idAt(phi, n);
  }
  if (!next) return {};
  const auto quotient = quotientOf(next, phiId, staying, 0);
  // (p + add) / divisor < p for the least p, and so for all.
  if (!quotient || quotient->add >= (quotient->divisor - 1) * staying.least) return {};
  uint64_t steps = 1;
  for (int64_t p = quotient->of(staying.most); p >= staying.least; p = quotient->of(p))
    if (++steps > kMostSteps) return UINT32_MAX;
  return steps;
}

/// What `value` is of the phi, for all that the loop goes on with: nothing where that may wrap
/// around, be negative, or be computed otherwise.
std::optional<LoopEnds::Quotient> LoopEnds::quotientOf(Id value, Id phi, const Staying& staying,
                                                       uint32_t depth) const {
  value = withoutSignCast(module_, value);
  if (value == phi) return Quotient{};
  const InstRef def = module_.def(value);
  if (!def || depth == kMaxDepth || decorations_.has(value, spv::Decoration::RelaxedPrecision))
    return std::nullopt;
  const spv::Op op = module_.opcode(def);
  if (op != spv::Op::OpIAdd && op != spv::Op::OpISub && op != spv::Op::OpUDiv &&
      op != spv::Op::OpSDiv && op != spv::Op::OpShiftRightLogical &&
      op != spv::Op::OpShiftRightArithmetic)
    return std::nullopt;
  Id ofId = module_.idAt(def, 3), by = module_.idAt(def, 4);
  if (op == spv::Op::OpIAdd && constants_.literal(ofId)) std::swap(ofId, by);
  const auto literal = constants_.value(by);
  if (!literal || !literal->isLiteral) return std::nullopt;
  std::optional<Quotient> quotient = quotientOf(ofId, phi, staying, depth + 1);
  if (!quotient) return std::nullopt;
  const int64_t number = literal->asSigned();
  const bool isSigned = op == spv::Op::OpSDiv || op == spv::Op::OpShiftRightArithmetic;
  if (isSigned && quotient->of(staying.most) > INT32_MAX) return std::nullopt;
  switch (op) {
  case spv::Op::OpIAdd:
    quotient->add += number * quotient->divisor;
    break;
  case spv::Op::OpISub:
    quotient->add -= number * quotient->divisor;
    break;
  case spv::Op::OpUDiv:
  case spv::Op::OpSDiv:
    if (number < 1) return std::nullopt;
    quotient->divisor *= number;
    break;
  default:
    if (number < 0 || number >= int(kWidth)) return std::nullopt;
    quotient->divisor <<= number;
  }
  const bool fits = quotient->divisor <= kMostDivisor && quotient->of(staying.least) >= 0 &&
                    quotient->of(staying.most) <= staying.limit;
  return fits ? quotient : std::nullopt;
}

/// Whether a counter keeps its 32 bits: with RelaxedPrecision it may wrap around at 2^16, in front
/// of any bound.
bool LoopEnds::isExact(InstRef phi) const {
  const auto isRelaxed = [&](Id id) {
    return decorations_.has(id, spv::Decoration::RelaxedPrecision);
  };
  if (isRelaxed(module_.resultId(phi))) return false;
  for (uint32_t n = 3; n + 1 < module_.wordCount(phi); n += 2) {
    const Id value = module_.idAt(phi, n);
    if (isRelaxed(value) || isRelaxed(withoutSignCast(module_, value))) return false;
  }
  return true;
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
  if (!induction || of != &loop || !induction->stepIsLiteral || !isExact(induction->phi))
    return std::nullopt;
  return Counter{induction, offset};
}

bool LoopEnds::isMinOrMax(InstRef i) const {
  if (module_.extInstSet(module_.idAt(i, 3)) != ExtInstSet::GlslStd450) return false;
  switch (module_.word(i, 4)) {
  case GLSLstd450UMin:
  case GLSLstd450SMin:
  case GLSLstd450UMax:
  case GLSLstd450SMax:
    return true;
  default:
    return false;
  }
}

/// Whether each iteration computes the same. An undefined value may be another one each time that
/// it is looked at, and so may what is computed from it.
bool LoopEnds::isInvariant(const Loop& loop, Id value, uint32_t depth) const {
  const InstRef def = module_.def(value);
  if (!def || module_.opcode(def) == spv::Op::OpUndef || depth == kMaxDepth) return false;
  if (!loops_.contains(loop, module_.blockOf(def))) return true;
  const auto isOperandInvariant = [&](uint32_t word) {
    return isInvariant(loop, module_.idAt(def, word), depth + 1);
  };
  switch (module_.opcode(def)) {
  case spv::Op::OpLoad:
    return isUnchangingLoad(loop, def, depth);
  case spv::Op::OpArrayLength: // of a descriptor that is a variable, or the element of one
    return !loops_.contains(loop, module_.blockOf(module_.def(module_.idAt(def, 3))));
  case spv::Op::OpBitcast:
  case spv::Op::OpCopyObject:
  case spv::Op::OpCompositeExtract:
    return isOperandInvariant(3);
  case spv::Op::OpIAdd:
  case spv::Op::OpISub:
  case spv::Op::OpIMul:
    return isOperandInvariant(3) && isOperandInvariant(4);
  case spv::Op::OpExtInst:
    return isMinOrMax(def) && isOperandInvariant(5) && isOperandInvariant(6);
  default:
    return false;
  }
}

/// Whether it reads one place of a buffer that only the host writes, before the dispatch.
/// Compilers of WebGPU's language load `n` of `i < n` in each iteration.
bool LoopEnds::isUnchangingLoad(const Loop& loop, InstRef load, uint32_t depth) const {
  if (!isPlainAccess(module_, load)) return false;
  Id base = module_.idAt(load, 3);
  for (; isAccessChain(module_.opcodeOf(base)); base = module_.idAt(module_.def(base), 3)) {
    const InstRef chain = module_.def(base);
    for (uint32_t word = 4; word < module_.wordCount(chain); ++word)
      if (!isInvariant(loop, module_.idAt(chain, word), depth + 1)) return false;
  }
  const InstRef variable = module_.def(base);
  if (!variable || module_.opcode(variable) != spv::Op::OpVariable) return false;
  if (!isConstantBuffer(analyses_, base)) return false;
  if (spv::StorageClass(module_.word(variable, 3)) == spv::StorageClass::PushConstant) return true;
  return !decorations_.has(base, spv::Decoration::Aliased) &&
         !isBufferDecorated(analyses_, base, spv::Decoration::Volatile, false) &&
         !isBufferDecorated(analyses_, base, spv::Decoration::Coherent, false);
}

} // namespace lanewise
