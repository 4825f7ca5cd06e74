// Atomics (SPIR-V 3.42.18), barriers (3.42.20), scopes (3.27) and memory semantics (3.25).

#include "ir/newer_enumerants.h"
#include "text/format_text.h"
#include "validity/instructions/operand_rules.h"
#include "validity/instructions/rules.h"

#include <bit>

namespace lanewise::validity {

namespace {

using spv::Capability;
using spv::Op;
using spv::StorageClass;

/// An integer scalar of 32 bits, and a constant where the module is a shader.
bool checkConstantOperand(Subject& s, InstRef i, uint32_t word, std::string_view what) {
  const Module& m = s.module;
  const Id id = m.idAt(i, word);
  const Shape& shape = s.shapeOfValue(id);
  if (shape.isOpen()) return true;
  if (!shape.isInt() || shape.width != 32)
    return s.failOperand(i, word, formatText("but {} is a 32-bit integer", what));
  const bool specToo = s.has(Capability::CooperativeMatrixNV);
  if (!s.isShader || (s.isConstant(id) && (specToo || !s.isSpecConstant(id)))) return true;
  return s.fail(i, formatText("operand {} is no constant, but {} must be one in a shader",
                              operandNumber(m, i, word), what));
}

} // namespace

bool checkScope(Subject& s, InstRef i, uint32_t word) {
  if (!checkConstantOperand(s, i, word, "a scope")) return false;
  const auto value = s.literalInt(s.module.idAt(i, word));
  constexpr int64_t kLast = 6; // ShaderCallKHR
  return !value || (*value >= 0 && *value <= kLast) ||
         s.fail(i, formatText("operand {} is {}, which is no scope",
                              operandNumber(s.module, i, word), *value));
}

bool checkSemantics(Subject& s, InstRef i, uint32_t word) {
  if (!checkConstantOperand(s, i, word, "memory semantics")) return false;
  const auto value = s.literalInt(s.module.idAt(i, word));
  if (!value) return true;
  using Mask = spv::MemorySemanticsMask;
  const uint32_t bits = uint32_t(*value);
  const auto has = [&](Mask mask) { return (bits & uint32_t(mask)) != 0; };
  const uint32_t orders = bits & uint32_t(Mask::Acquire | Mask::Release | Mask::AcquireRelease |
                                          Mask::SequentiallyConsistent);
  if (std::popcount(orders) > 1)
    return s.fail(i, formatText("operand {} has more than one memory order",
                                operandNumber(s.module, i, word)));
  const bool vulkan = s.has(Capability::VulkanMemoryModel);
  if (!vulkan && (has(Mask::OutputMemory) || has(Mask::MakeAvailable) || has(Mask::MakeVisible) ||
                  has(Mask::Volatile)))
    return s.fail(i, formatText("operand {} needs capability VulkanMemoryModel",
                                operandNumber(s.module, i, word)));
  if (has(Mask::MakeAvailable) && !has(Mask::Release) && !has(Mask::AcquireRelease))
    return s.fail(i, "makes memory available without releasing it");
  if (has(Mask::MakeVisible) && !has(Mask::Acquire) && !has(Mask::AcquireRelease))
    return s.fail(i, "makes memory visible without acquiring it");
  return true;
}

namespace {

/// What the value of an atomic may be.
uint16_t atomicTakes(Op op) {
  switch (uint32_t(op)) {
  case uint32_t(Op::OpAtomicFAddEXT):
  case uint32_t(Op::OpAtomicFMinEXT):
  case uint32_t(Op::OpAtomicFMaxEXT):
    return kFloats;
  case uint32_t(Op::OpAtomicLoad):
  case uint32_t(Op::OpAtomicExchange):
  case uint32_t(Op::OpAtomicStore):
    return kIntS | kFloats;
  case uint32_t(Op::OpAtomicFlagTestAndSet):
  case uint32_t(Op::OpAtomicFlagClear):
    return 0;
  default:
    return kIntS;
  }
}

bool checkAtomicPointer(Subject& s, InstRef i, uint32_t word, Id value) {
  const Module& m = s.module;
  const Id type = s.typeOf(m.idAt(i, word));
  const Shape& shape = s.shapeOfType(type);
  if (shape.isOpen()) return true;
  if (!shape.isPointer()) return s.failOperand(i, word, "which is no pointer");
  const Id pointee = s.pointeeOf(type);
  if (pointee && value && pointee != value && !s.shapeOfType(pointee).isOpen())
    return s.fail(i, formatText("operand {} points to {}, but the value has type {}",
                                operandNumber(m, i, word), describeType(m, pointee),
                                describeType(m, value)));
  switch (s.storageOf(type)) {
  case StorageClass::UniformConstant:
  case StorageClass::Input:
  case StorageClass::Output:
  case StorageClass::Private:
  case StorageClass::PushConstant:
    return s.fail(i, "operates on a storage class that has no atomics");
  case StorageClass::Function:
    return !s.isShader || s.fail(i, "operates on storage class Function");
  default:
    return true;
  }
}

bool checkAtomicWidth(Subject& s, InstRef i, Op op, const Shape& value) {
  if (value.kind == Kind::Int && value.width == 64 && !s.has(Capability::Int64Atomics))
    return s.fail(i, "64-bit atomics need capability Int64Atomics");
  if (!s.isShader || value.kind != Kind::Float) return true;
  if (op == Op::OpAtomicFAddEXT) {
    const Capability needed = value.width == 32   ? Capability::AtomicFloat32AddEXT
                              : value.width == 64 ? Capability::AtomicFloat64AddEXT
                                                  : Capability::AtomicFloat16AddEXT;
    return s.has(needed) || s.fail(i, "needs the capability for floats of that width");
  }
  if (op == Op::OpAtomicFMinEXT || op == Op::OpAtomicFMaxEXT) {
    const Capability needed = value.width == 32   ? Capability::AtomicFloat32MinMaxEXT
                              : value.width == 64 ? Capability::AtomicFloat64MinMaxEXT
                                                  : Capability::AtomicFloat16MinMaxEXT;
    return s.has(needed) || s.fail(i, "needs the capability for floats of that width");
  }
  return true;
}

bool checkAtomicOrder(Subject& s, InstRef i, Op op, uint32_t word) {
  const auto value = s.literalInt(s.module.idAt(i, word));
  if (!value) return true;
  constexpr int64_t kAcquire = 2, kRelease = 4, kBoth = 8;
  if (op == Op::OpAtomicStore && *value & (kAcquire | kBoth))
    return s.fail(i, "stores, but its semantics acquire");
  if (op == Op::OpAtomicLoad && *value & (kRelease | kBoth))
    return s.fail(i, "loads, but its semantics release");
  return true;
}

} // namespace

bool checkAtomic(Subject& s, InstRef i) {
  const Module& m = s.module;
  const OpcodeFacts& f = m.facts(i);
  const Op op = f.opcode;
  const uint16_t takes = atomicTakes(op);
  const uint32_t pointer = f.hasResult ? 3 : 1, scope = atomicScopeWord(f);
  if (takes == 0) return checkScope(s, i, scope) && checkSemantics(s, i, scope + 1);
  const Id value = f.hasResult ? m.idAt(i, 1) : s.typeOf(m.idAt(i, 4));
  const Shape& shape = s.shapeOfType(value);
  if (!(kindsOf(shape) & takes))
    return s.fail(i, formatText("operates on {}; it takes a {}", describeType(m, value),
                                describeKinds(takes)));
  if (!checkAtomicPointer(s, i, pointer, value) || !checkAtomicWidth(s, i, op, shape)) return false;
  const bool compares = op == Op::OpAtomicCompareExchange || op == Op::OpAtomicCompareExchangeWeak;
  if (!checkScope(s, i, scope) || !checkSemantics(s, i, scope + 1) ||
      (compares && !checkSemantics(s, i, scope + 2)) || !checkAtomicOrder(s, i, op, scope + 1))
    return false;
  for (uint32_t word = scope + 2 + compares; f.hasResult && word < m.wordCount(i); ++word)
    if (s.typeOf(m.idAt(i, word)) != value && !s.shapeOfValue(m.idAt(i, word)).isOpen())
      return s.failOperand(i, word,
                           formatText("but the result type is {}", describeType(m, value)));
  return true;
}

bool checkBarrier(Subject& s, InstRef i) {
  switch (s.module.opcode(i)) {
  case Op::OpControlBarrier:
    return checkScope(s, i, 1) && checkScope(s, i, 2) && checkSemantics(s, i, 3);
  case Op::OpMemoryBarrier:
    return checkScope(s, i, 1) && checkSemantics(s, i, 2);
  default:
    return true;
  }
}

namespace {

constexpr uint16_t kNumbersAndBools = kBools | kInts | kFloats;
constexpr uint16_t kUnsignedAny = kUnsignedS | kUnsignedV;

/// What stands behind the scope (and the group operation, if there is one).
struct GroupRow {
  Op op;
  bool hasOperation;
  OperationRule rule;
};

constexpr OperandRule kSame{kNumbersAndBools, kResultType}, kLane{kUnsignedS, kFree},
    kBallot{kUnsignedV, kFree}, kPredicate{kBoolS, kFree};
constexpr OperationRule kOfInts{kInts, 1, {{kInts, kCount | kWidth}}},
    kOfFloats{kFloats, 1, {{kFloats, kResultType}}}, kOfBools{kBools, 1, {{kBools, kResultType}}},
    kOfUnsigned{kUnsignedAny, 1, {{kInts, kCount | kWidth}}},
    kMove{kNumbersAndBools, 2, {kSame, kLane}}, kVote{kBoolS, 1, {kPredicate}};

constexpr GroupRow kGroupRows[] = {
    {Op::OpGroupNonUniformElect, false, {kBoolS, 0, {}}},
    {Op::OpGroupNonUniformAll, false, kVote},
    {Op::OpGroupNonUniformAny, false, kVote},
    {Op::OpGroupNonUniformAllEqual, false, {kBoolS, 1, {{kNumbersAndBools, kFree}}}},
    {Op::OpGroupNonUniformBroadcast, false, kMove},
    {Op::OpGroupNonUniformBroadcastFirst, false, {kNumbersAndBools, 1, {kSame}}},
    {Op::OpGroupNonUniformBallot, false, {kUnsignedV, 1, {kPredicate}}},
    {Op::OpGroupNonUniformInverseBallot, false, {kBoolS, 1, {kBallot}}},
    {Op::OpGroupNonUniformBallotBitExtract, false, {kBoolS, 2, {kBallot, kLane}}},
    {Op::OpGroupNonUniformBallotBitCount, true, {kUnsignedS, 1, {kBallot}}},
    {Op::OpGroupNonUniformBallotFindLSB, false, {kUnsignedS, 1, {kBallot}}},
    {Op::OpGroupNonUniformBallotFindMSB, false, {kUnsignedS, 1, {kBallot}}},
    {Op::OpGroupNonUniformShuffle, false, kMove},
    {Op::OpGroupNonUniformShuffleXor, false, kMove},
    {Op::OpGroupNonUniformShuffleUp, false, kMove},
    {Op::OpGroupNonUniformShuffleDown, false, kMove},
    {Op::OpGroupNonUniformIAdd, true, kOfInts},
    {Op::OpGroupNonUniformFAdd, true, kOfFloats},
    {Op::OpGroupNonUniformIMul, true, kOfInts},
    {Op::OpGroupNonUniformFMul, true, kOfFloats},
    {Op::OpGroupNonUniformSMin, true, kOfInts},
    {Op::OpGroupNonUniformUMin, true, kOfUnsigned},
    {Op::OpGroupNonUniformFMin, true, kOfFloats},
    {Op::OpGroupNonUniformSMax, true, kOfInts},
    {Op::OpGroupNonUniformUMax, true, kOfUnsigned},
    {Op::OpGroupNonUniformFMax, true, kOfFloats},
    {Op::OpGroupNonUniformBitwiseAnd, true, kOfInts},
    {Op::OpGroupNonUniformBitwiseOr, true, kOfInts},
    {Op::OpGroupNonUniformBitwiseXor, true, kOfInts},
    {Op::OpGroupNonUniformLogicalAnd, true, kOfBools},
    {Op::OpGroupNonUniformLogicalOr, true, kOfBools},
    {Op::OpGroupNonUniformLogicalXor, true, kOfBools},
    {Op::OpGroupNonUniformQuadBroadcast, false, kMove},
    {Op::OpGroupNonUniformQuadSwap, false, kMove},
    {newer::Op::OpGroupNonUniformRotateKHR, false, kMove},
};

/// A clustered reduction names its size, a partitioned one its ballot.
bool checkGroupOperation(Subject& s, InstRef i) {
  const Module& m = s.module;
  const auto operation = spv::GroupOperation(m.word(i, 4));
  constexpr uint32_t kSize = 6;
  const bool clustered = operation == spv::GroupOperation::ClusteredReduce;
  const bool partitioned = operation == spv::GroupOperation::PartitionedReduceNV ||
                           operation == spv::GroupOperation::PartitionedInclusiveScanNV ||
                           operation == spv::GroupOperation::PartitionedExclusiveScanNV;
  if (m.wordCount(i) <= kSize)
    return (!clustered && !partitioned) || s.fail(i, "has no cluster size or ballot");
  if (partitioned) return true;
  const Id size = m.idAt(i, kSize);
  if (!(kindsOf(s.shapeOfValue(size)) & kUnsignedS))
    return s.failOperand(i, kSize, "but a cluster size must be an unsigned integer scalar");
  return s.isConstant(size) || !m.def(size) ||
         s.fail(i, formatText("has the cluster size %{}, which is no constant", size.value));
}

const GroupRow* groupRow(Op op) {
  for (const GroupRow& row : kGroupRows)
    if (row.op == op) return &row;
  return nullptr;
}

} // namespace

bool checkGroup(Subject& s, InstRef i) {
  const Module& m = s.module;
  const GroupRow* row = groupRow(m.opcode(i));
  if (!row) return true;
  if (!checkScope(s, i, 3)) return false;
  const auto scope = s.literalInt(m.idAt(i, 3));
  if (scope && *scope != int64_t(spv::Scope::Subgroup) && *scope != int64_t(spv::Scope::Workgroup))
    return s.fail(i, formatText("has the scope {}; it must be Subgroup or Workgroup", *scope));
  if (!checkRule(s, i, row->hasOperation ? 5 : 4, row->rule)) return false;
  const auto isBallot = [&](const Shape& shape) { return shape.isOpen() || shape.count == 4; };
  if (row->op == Op::OpGroupNonUniformBallot && !isBallot(s.resultShape(i)))
    return s.fail(i, "the result type must be a vector of 4 unsigned integers");
  const uint32_t first = row->hasOperation ? 5 : 4;
  if (row->rule.operands > 0 && row->rule.rules[0].takes == kUnsignedV &&
      !isBallot(s.shapeOfValue(m.idAt(i, first))))
    return s.failOperand(i, first, "but a ballot is a vector of 4 unsigned integers");
  return !isGroupReduction(row->op) || checkGroupOperation(s, i);
}

} // namespace lanewise::validity
