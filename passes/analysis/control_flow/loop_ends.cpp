#include "analysis/control_flow/loop_ends.h"

#include "analysis/module/buffer_variables.h"
#include "analysis/module/memory_operands.h"
#include "ir/integer_semantics.h"

#include <algorithm>
#include <spirv/unified1/GLSL.std.450.h>
#include <utility>

namespace lanewise {
namespace {

/// Conditions of real loops join two or three tests.
constexpr uint32_t kMaxDepth = 8;
constexpr uint32_t kWidth = 32; ///< of every InductionVariable
/// Of numbers that are made of literals. One that is doubled is 0 after 32 of them.
constexpr uint64_t kMostSteps = 64;
/// Of a quotient: sums of 8 numbers times this fit 64 bits.
constexpr int64_t kMostDivisor = 1 << 24;

} // namespace

/// Whether every iteration that comes to its end executes the block, one of no inner loop.
bool LoopEnds::isInEveryIteration(const Loop& loop, BlockRef b) const {
  const auto latches = cfg_.predecessors(loop.header);
  return std::all_of(latches.begin(), latches.end(), [&](BlockRef latch) {
    return !loops_.contains(loop, latch) || dominance_.dominates(b, latch);
  });
}

bool LoopEnds::ends(const Loop& loop) const {
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

/// Whether a condition that is computed in each iteration is not `staysOn` at some time.
bool LoopEnds::fails(const Loop& loop, Id condition, bool staysOn, uint32_t depth) const {
  const InstRef def = module_.def(condition);
  if (!def || depth == kMaxDepth) return false;
  switch (module_.opcode(def)) {
  case spv::Op::OpLogicalNot:
    return fails(loop, module_.idAt(def, 3), !staysOn, depth + 1);
  case spv::Op::OpLogicalAnd:
  case spv::Op::OpLogicalOr: // both parts must let it go on
    return staysOn == (module_.opcode(def) == spv::Op::OpLogicalAnd) &&
           (fails(loop, module_.idAt(def, 3), staysOn, depth + 1) ||
            fails(loop, module_.idAt(def, 4), staysOn, depth + 1));
  default:
    return comparisonFails(loop, def, staysOn);
  }
}

bool LoopEnds::comparisonFails(const Loop& loop, InstRef i, bool staysOn) const {
  std::optional<Comparison> comparison = comparisonOf(module_.opcode(i));
  if (!comparison || isRelaxed(module_.resultId(i))) return false;
  if (!staysOn) comparison->relation = negated(comparison->relation);
  for (uint32_t word : {3u, 4u}) {
    const Id value = module_.idAt(i, word), bound = module_.idAt(i, 7 - word);
    if (counterFails(loop, *comparison, value, bound)) return true;
    const auto recurrence = recurrenceOf(loop, value);
    if (recurrence &&
        (literalsFail(i, staysOn, *recurrence) || quotientFails(*comparison, *recurrence, bound)))
      return true;
    comparison->relation = mirrored(comparison->relation);
  }
  return false;
}

// ---- counters ----

bool LoopEnds::counterFails(const Loop& loop, const Comparison& comparison, Id value,
                            Id bound) const {
  const std::optional<Counter> counter = counterOf(loop, value);
  if (!counter || !isInvariant(loop, bound)) return false;
  std::optional<uint64_t> start = constants_.literal(counter->induction->init);
  if (start) start = wrapped(*start + counter->offset, kWidth);
  const uint32_t step = uint32_t(counter->induction->step);
  return failsAtSomeTime(comparison, kWidth, start, step, knownNumber(bound));
}

bool LoopEnds::isRelaxed(Id value) const {
  return decorations_.has(value, spv::Decoration::RelaxedPrecision);
}

/// withoutSignCast(), through casts that keep all bits.
Id LoopEnds::withoutCast(Id value) const {
  return isRelaxed(value) ? value : withoutSignCast(module_, value);
}

/// Whether a counter keeps its 32 bits from one iteration to the next: with RelaxedPrecision it may
/// wrap around at 2^16, in front of any bound. Casts may stand around the sum and in it.
bool LoopEnds::isExact(InstRef phi) const {
  if (isRelaxed(module_.resultId(phi))) return false;
  for (uint32_t n = 3; n + 1 < module_.wordCount(phi); n += 2) {
    const Id value = module_.idAt(phi, n), sum = withoutSignCast(module_, value);
    if (isRelaxed(value) || isRelaxed(sum)) return false;
    const InstRef def = module_.def(sum);
    if (!def || (module_.opcode(def) != spv::Op::OpIAdd && module_.opcode(def) != spv::Op::OpISub))
      continue;
    if (isRelaxed(module_.idAt(def, 3)) || isRelaxed(module_.idAt(def, 4))) return false;
  }
  return true;
}

std::optional<LoopEnds::Counter> LoopEnds::counterOf(const Loop& loop, Id value) const {
  Id phi = withoutCast(value);
  if (isRelaxed(phi)) return std::nullopt;
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
    phi = withoutCast(phi);
  }
  const Loop* of = nullptr;
  const InductionVariable* induction = loops_.inductionOf(module_.def(phi), &of);
  if (!induction || of != &loop || !induction->stepIsLiteral || !isExact(induction->phi))
    return std::nullopt;
  return Counter{induction, offset};
}

// ---- numbers that are divided, as in `for (s = 32; s > 0; s /= 2)` ----

int64_t LoopEnds::Quotient::of(int64_t p) const {
  const int64_t sum = p + add;
  return sum / divisor - (sum % divisor < 0 ? 1 : 0);
}

std::optional<LoopEnds::Recurrence> LoopEnds::recurrenceOf(const Loop& loop, Id value) const {
  Recurrence r{withoutCast(value), {}, {}};
  const InstRef phi = module_.def(r.phi);
  if (!phi || module_.opcode(phi) != spv::Op::OpPhi || module_.blockOf(phi) != loop.header ||
      !isExact(phi))
    return std::nullopt;
  const TypeInfo& type = types_.info(module_.resultType(phi));
  if (type.kind != TypeInfo::Kind::Int || type.width != kWidth) return std::nullopt;
  for (uint32_t n = 3; n + 1 < module_.wordCount(phi); n += 2) {
    const BlockRef from = module_.blockOfLabel(module_.idAt(phi, n + 1));
    Id& one = loops_.contains(loop, from) ? r.next : r.init;
    if (one) return std::nullopt;
    one = module_.idAt(phi, n);
  }
  return r.init && r.next ? std::optional(r) : std::nullopt;
}

/// Whether the number that is compared comes out smaller from each iteration that it lets go on.
bool LoopEnds::quotientFails(const Comparison& comparison, const Recurrence& of, Id bound) const {
  const auto literal = constants_.value(bound);
  if (!literal || !literal->isLiteral) return false;
  const int64_t than = comparison.isSigned ? literal->asSigned() : int64_t(literal->bits);
  Staying staying{0, comparison.isSigned ? INT32_MAX : UINT32_MAX};
  if (comparison.relation == Relation::Greater)
    staying.least = than + 1;
  else if (comparison.relation == Relation::GreaterEqual)
    staying.least = than;
  else if (comparison.relation == Relation::NotEqual && than == 0)
    staying.least = 1;
  if (staying.least < 1) return false;

  const auto quotient = quotientOf(of.next, of.phi, staying, 0);
  // (p + add) / divisor < p for the least p, and so for all.
  return quotient && quotient->add < (quotient->divisor - 1) * staying.least;
}

/// What `value` is of the phi, for all that the loop goes on with: nothing where that may wrap
/// around, be negative, or be computed otherwise.
std::optional<LoopEnds::Quotient> LoopEnds::quotientOf(Id value, Id phi, const Staying& staying,
                                                       uint32_t depth) const {
  value = withoutCast(value);
  if (value == phi) return Quotient{};
  const InstRef def = module_.def(value);
  if (!def || depth == kMaxDepth || isRelaxed(value)) return std::nullopt;
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
                    quotient->of(staying.most) <= staying.most;
  return fits ? quotient : std::nullopt;
}

// ---- numbers that are made of literals, as in `for (s = 1; s < 64; s *= 2)` ----

/// Whether trying it shows that.
bool LoopEnds::literalsFail(InstRef comparison, bool staysOn, const Recurrence& of) const {
  std::optional<uint64_t> p = constants_.literal(of.init);
  for (uint64_t steps = 0; p && steps < kMostSteps; ++steps) {
    const auto holds = valueWith(module_.resultId(comparison), of.phi, *p, 0);
    if (!holds) return false;
    if ((*holds != 0) != staysOn) return true;
    p = valueWith(of.next, of.phi, *p, 0);
  }
  return false;
}

std::optional<uint64_t> LoopEnds::valueWith(Id value, Id phi, uint64_t ofPhi,
                                            uint32_t depth) const {
  value = withoutCast(value);
  if (value == phi) return ofPhi;
  if (const auto literal = constants_.value(value))
    return literal->isLiteral ? std::optional(literal->bits) : std::nullopt;
  const InstRef def = module_.def(value);
  if (!def || depth == kMaxDepth || module_.wordCount(def) != 5 || isRelaxed(value))
    return std::nullopt;
  const spv::Op op = module_.opcode(def);
  const TypeInfo& type = types_.info(module_.typeOf(module_.idAt(def, 3)));
  if (type.kind != TypeInfo::Kind::Int || type.width != kWidth) return std::nullopt;
  const auto left = valueWith(module_.idAt(def, 3), phi, ofPhi, depth + 1);
  const auto right = left ? valueWith(module_.idAt(def, 4), phi, ofPhi, depth + 1) : left;
  if (!right) return std::nullopt;
  const uint64_t operands[] = {*left, *right};
  return evaluateInteger(op, kWidth, operands).value();
}

// ---- what does not change ----

/// Elements of the array that ends a storage buffer: buffers that a descriptor can name have less
/// than 2^32 bytes (maxStorageBufferRange is a 32-bit number; Vulkan's VkPhysicalDeviceLimits).
uint64_t LoopEnds::mostElements(InstRef arrayLength) const {
  const Id block = types_.pointee(module_.idAt(arrayLength, 3));
  const uint32_t member = module_.word(arrayLength, 4);
  const TypeInfo& info = types_.info(block);
  if (info.kind != TypeInfo::Kind::Struct || member >= info.count) return UINT32_MAX;
  return UINT32_MAX / std::max(1u, types_.arrayStride(types_.member(block, member)).value_or(1));
}

/// Of a 32-bit integer.
KnownNumber LoopEnds::knownNumber(Id value, uint32_t depth) const {
  value = withoutCast(value);
  if (const auto literal = constants_.literal(value)) return KnownNumber::literal(*literal, kWidth);
  const InstRef def = module_.def(value);
  KnownNumber known{0, 0, UINT32_MAX};
  if (!def || depth == kMaxDepth || isRelaxed(value)) return known;
  const spv::Op op = module_.opcode(def);
  if (op == spv::Op::OpArrayLength) {
    known.most = mostElements(def);
    return known;
  }
  if (module_.wordCount(def) != 5) return known;
  Id ofId = module_.idAt(def, 3), by = module_.idAt(def, 4);
  const bool isCommutative =
      op == spv::Op::OpIAdd || op == spv::Op::OpIMul || op == spv::Op::OpBitwiseAnd;
  if (isCommutative && constants_.literal(ofId)) std::swap(ofId, by);
  const std::optional<uint64_t> literal = constants_.literal(by);
  if (!literal) return known;
  const KnownNumber of = knownNumber(ofId, depth + 1);
  const uint64_t number = *literal & UINT32_MAX;
  const auto multiply = [&](uint64_t factor) {
    const uint64_t zeros = (factor & (~factor + 1)) - 1; // below its lowest bit
    known.isKnown = ((of.isKnown + 1) * (zeros + 1) - 1) & UINT32_MAX;
    known.bits = of.bits * factor & known.isKnown;
  };
  switch (op) {
  case spv::Op::OpIMul:
    if (number != 0) multiply(number);
    break;
  case spv::Op::OpShiftLeftLogical:
    if (*literal < kWidth) multiply(uint64_t(1) << number);
    break;
  case spv::Op::OpBitwiseAnd: {
    const uint64_t zeros = number == 0 ? UINT32_MAX : (number & (~number + 1)) - 1;
    known = {of.bits & number & (of.isKnown | zeros), of.isKnown | zeros,
             std::min(of.most, number)};
    break;
  }
  case spv::Op::OpIAdd:
    known = {(of.bits + number) & of.isKnown, of.isKnown, UINT32_MAX};
    break;
  case spv::Op::OpISub:
    known = {(of.bits - number) & of.isKnown, of.isKnown, UINT32_MAX};
    break;
  case spv::Op::OpUDiv:
    if (number != 0) known.most = of.most / number;
    break;
  case spv::Op::OpUMod:
    if (number != 0) known.most = std::min(of.most, number - 1);
    break;
  case spv::Op::OpShiftRightLogical:
    if (*literal < kWidth) known.most = of.most >> number;
    break;
  default:
    break;
  }
  return known;
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
  case spv::Op::OpBitwiseAnd:
    return isOperandInvariant(3) && isOperandInvariant(4);
  case spv::Op::OpUDiv:
  case spv::Op::OpUMod:
  case spv::Op::OpShiftLeftLogical:
  case spv::Op::OpShiftRightLogical: { // defined whatever is divided or shifted
    const auto by = constants_.literal(module_.idAt(def, 4));
    const bool isShift = lanewise::isShift(module_.opcode(def));
    return by && (isShift ? *by < kWidth : *by != 0) && isOperandInvariant(3);
  }
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
