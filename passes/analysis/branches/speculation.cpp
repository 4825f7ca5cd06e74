#include "analysis/branches/speculation.h"

#include "analysis/control_flow/dominance.h"
#include "analysis/module/buffer_variables.h"
#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/entry_points.h"
#include "analysis/module/types.h"
#include "analysis/uniformity/uniformity.h"
#include "ir/integer_semantics.h"

#include <algorithm>

namespace lanewise {
namespace {

/// Accesses of one place that are looked at, and blocks between one and where a load would go.
constexpr size_t kMaxAccesses = 32, kMaxBlocks = 256;
/// Integers up to here are floats of 32 bits without rounding.
constexpr uint32_t kExactInFloat = 1u << 24;

bool isLoad(spv::Op op) {
  return op == spv::Op::OpLoad;
}

uint32_t memoryOperands(const Module& module, InstRef inst) {
  const uint32_t word = memoryOperandsWord(module.opcode(inst));
  return module.wordCount(inst) > word ? module.word(inst, word) : 0;
}

bool hasOperand(const Module& module, InstRef inst, spv::MemoryAccessMask operand) {
  return (memoryOperands(module, inst) & uint32_t(operand)) != 0;
}

/// Bytes that the address is promised to be a multiple of.
uint32_t alignmentOf(const Module& module, InstRef inst) {
  if (!hasOperand(module, inst, spv::MemoryAccessMask::Aligned)) return 1;
  return module.word(inst, memoryOperandsWord(module.opcode(inst)) + 1);
}

/// Memory operands that say more than how the address is aligned or whether to cache.
bool isSpecialAccess(const Module& module, InstRef inst) {
  using Mask = spv::MemoryAccessMask;
  constexpr uint32_t kPlain =
      uint32_t(Mask::Aligned) | uint32_t(Mask::Nontemporal) | uint32_t(Mask::NonPrivatePointer);
  return (memoryOperands(module, inst) & ~kPlain) != 0;
}

/// Whether the load may be made where `before`, of the same address, is made: its alignment holds,
/// and it is ordered among the accesses of others if that one is (SPIR-V 3.26, NonPrivatePointer).
bool asksNoMore(const Module& module, InstRef load, InstRef before) {
  const auto nonPrivate = spv::MemoryAccessMask::NonPrivatePointer;
  return alignmentOf(module, load) <= alignmentOf(module, before) &&
         (hasOperand(module, load, nonPrivate) || !hasOperand(module, before, nonPrivate));
}

/// What a pointer leads to: the variable, then the indices. Empty where that is not one variable.
std::vector<Id> placeOf(const PointerOrigin& origin) {
  if (!origin.variable) return {};
  std::vector<Id> place{origin.variable};
  place.insert(place.end(), origin.indices.begin(), origin.indices.end());
  return place;
}

/// The size of the only entry point, which holds for every function then.
std::optional<std::array<uint32_t, 3>> literalSize(Analyses& analyses) {
  const auto entries = analyses.get<EntryPoints>().all();
  if (entries.size() != 1 || !entries[0].workgroupSize || !entries[0].workgroupSize->isLiteral)
    return std::nullopt;
  return entries[0].workgroupSize->size;
}

/// Pointers of these lead through a descriptor.
bool isDescriptorStorage(std::optional<spv::StorageClass> storage) {
  return storage == spv::StorageClass::Uniform || storage == spv::StorageClass::StorageBuffer ||
         storage == spv::StorageClass::UniformConstant;
}

bool isVolatileOrCoherent(Analyses& analyses, Id variable) {
  for (spv::Decoration d : {spv::Decoration::Volatile, spv::Decoration::Coherent})
    if (isBufferDecorated(analyses, variable, d, false)) return true;
  return false;
}

/// Whether anything in the module is decorated Volatile or Coherent.
bool usesVolatile(const Module& module) {
  for (InstRef i : module.globals()) {
    const spv::Op op = module.opcode(i);
    if (op != spv::Op::OpDecorate && op != spv::Op::OpMemberDecorate) continue;
    const uint32_t decoration = module.word(i, op == spv::Op::OpDecorate ? 2 : 3);
    if (decoration == uint32_t(spv::Decoration::Volatile) ||
        decoration == uint32_t(spv::Decoration::Coherent))
      return true;
  }
  return false;
}

} // namespace

std::string_view nameOf(SpeculationBlocker blocker) {
  switch (blocker) {
  case SpeculationBlocker::None:
    return "none";
  case SpeculationBlocker::Store:
    return "store";
  case SpeculationBlocker::Atomic:
    return "atomic";
  case SpeculationBlocker::Barrier:
    return "barrier";
  case SpeculationBlocker::Call:
    return "call";
  case SpeculationBlocker::SubgroupOperation:
    return "subgroup-operation";
  case SpeculationBlocker::ImageRead:
    return "image-read";
  case SpeculationBlocker::Load:
    return "load";
  case SpeculationBlocker::Division:
    return "division";
  case SpeculationBlocker::Conversion:
    return "conversion";
  case SpeculationBlocker::Index:
    return "index";
  case SpeculationBlocker::Promise:
    return "promise";
  case SpeculationBlocker::Unknown:
    return "unknown-instruction";
  case SpeculationBlocker::Unread:
    return "unread-instruction";
  case SpeculationBlocker::Other:
    break;
  }
  return "not-speculatable";
}

std::string_view explain(SpeculationBlocker blocker) {
  switch (blocker) {
  case SpeculationBlocker::None:
    return "it is safe to speculate";
  case SpeculationBlocker::Store:
    return "the store cannot be speculated";
  case SpeculationBlocker::Atomic:
    return "the atomic cannot be speculated";
  case SpeculationBlocker::Barrier:
    return "the barrier cannot leave its branch";
  case SpeculationBlocker::Call:
    return "the call may have side effects; inline it first";
  case SpeculationBlocker::SubgroupOperation:
    return "the result depends on which lanes are active";
  case SpeculationBlocker::ImageRead:
    return "the image read is not proved safe to speculate";
  case SpeculationBlocker::Load:
    return "the load is not proved safe to speculate: it may be out of range, or its memory "
           "written";
  case SpeculationBlocker::Division:
    return "the divisor may be 0, or the quotient may overflow";
  case SpeculationBlocker::Conversion:
    return "the float may be out of range for the integer";
  case SpeculationBlocker::Index:
    return "the index may be out of range";
  case SpeculationBlocker::Promise:
    return "its decoration may not hold outside the branch";
  case SpeculationBlocker::Unknown:
    return "unknown instruction";
  case SpeculationBlocker::Unread:
    return "what the instruction does is not known, only its operands are: it may touch any memory "
           "and depend on other invocations";
  case SpeculationBlocker::Other:
    break;
  }
  return "the instruction is not known to be safe to speculate";
}

bool isPromised(Analyses& analyses, Id value) {
  const auto decorations = analyses.get<Decorations>().of(value);
  return std::any_of(decorations.begin(), decorations.end(), [](const Decoration& d) {
    switch (d.decoration) {
    case spv::Decoration::RelaxedPrecision:
    case spv::Decoration::NoContraction:
    case spv::Decoration::NonUniform:
    case spv::Decoration::FPRoundingMode:
    case spv::Decoration::FPFastMathMode: // the value is undefined then, not the behaviour
    case spv::Decoration::SaturatedConversion:
    case spv::Decoration::UserSemantic:
      return false;
    default:
      return true;
    }
  });
}

Speculation::Speculation(Analyses& analyses)
    : analyses_(analyses), module_(analyses.module()), hasVolatile_(usesVolatile(module_)) {
  for (InstRef i : module_.globals())
    if (module_.facts(i).opClass == OpClass::Variable &&
        isDescriptorStorage(spv::StorageClass(module_.word(i, 3))) &&
        (module_.opcode(i) != spv::Op::OpVariable || descriptorLevels(module_.resultId(i)) > 0))
      hasDescriptorArrays_ = true; // what a variable without a type is an array of, nobody says
}

// ---- ranges ----

/// Range that holds for every specialization where the value is computed at the end of `at`. It may
/// rest on the test of a loop that was passed before `at`, never on one that only the arm is
/// behind.
std::optional<Speculation::Range> Speculation::rangeOf(Id value, BlockRef at) {
  const TypeInfo& type = analyses_.get<Types>().info(module_.typeOf(value));
  if (type.kind != TypeInfo::Kind::Int) return std::nullopt;
  if (const auto constant = analyses_.get<Constants>().value(value);
      constant && constant->isLiteral) {
    const bool isNegative = constant->isSigned && constant->asSigned() < 0;
    if (constant->bits > UINT32_MAX || (isNegative && type.width < 32)) return std::nullopt;
    return Range{uint32_t(constant->bits), uint32_t(constant->bits)};
  }
  if (type.width != 32) return std::nullopt;
  if (!affine_) affine_.emplace(analyses_, literalSize(analyses_));
  const AffineExpr& form = affine_->of(value);
  if (form.dependsOnSpec) return std::nullopt;
  if (form.isConstant()) return Range{form.constant, form.constant};
  return affine_->rangeAt(form, at);
}

bool Speculation::isBelow(Id index, uint64_t count, BlockRef at) {
  const auto range = rangeOf(index, at);
  return range && range->second < count;
}

// ---- operations with a domain ----

bool Speculation::isDefinedDivisor(Id divisor, bool isSigned, BlockRef at) {
  const TypeInfo& type = analyses_.get<Types>().info(module_.typeOf(divisor));
  const Constants& constants = analyses_.get<Constants>();
  if (type.kind == TypeInfo::Kind::Vector) {
    for (uint32_t n = 0; n < type.count; ++n) {
      const auto value = constants.component(divisor, n);
      if (!value || !value->isLiteral || !dividesEverything(isSigned, value->width, value->bits))
        return false;
    }
    return true;
  }
  if (const auto literal = constants.literal(divisor))
    return dividesEverything(isSigned, type.width, *literal);
  const auto range = rangeOf(divisor, at);
  return range && range->first > 0 &&
         (!isSigned || range->second < (uint64_t(1) << (type.width - 1)));
}

bool Speculation::isDefinedDivision(InstRef inst, BlockRef at) {
  const spv::Op op = module_.opcode(inst);
  const bool isSigned = op != spv::Op::OpUDiv && op != spv::Op::OpUMod;
  return isDefinedDivisor(module_.idAt(inst, 4), isSigned, at);
}

/// What came from a small integer fits.
bool Speculation::isDefinedConversion(InstRef inst, BlockRef at) {
  const TypeInfo& to = analyses_.get<Types>().info(module_.resultType(inst));
  const InstRef from = module_.def(module_.idAt(inst, 3));
  if (to.kind != TypeInfo::Kind::Int || to.width != 32 || !from) return false;
  const spv::Op op = module_.opcode(from);
  if (op != spv::Op::OpConvertUToF && op != spv::Op::OpConvertSToF) return false;
  if (analyses_.get<Types>().info(module_.resultType(from)).width < 32) return false;
  // As unsigned: a negative one would be a large one.
  const auto range = rangeOf(module_.idAt(from, 3), at);
  return range && range->second <= kExactInFloat;
}

bool Speculation::isInRange(InstRef chain, BlockRef at) {
  const spv::Op op = module_.opcode(chain);
  if (!isAccessChain(op)) return false;
  const Types& types = analyses_.get<Types>();
  Id type = types.pointee(module_.idAt(chain, 3));
  for (uint32_t w = 4; w < module_.wordCount(chain); ++w) {
    const Id index = module_.idAt(chain, w);
    const TypeInfo& info = types.info(type);
    switch (info.kind) {
    case TypeInfo::Kind::Struct: {
      const auto member = analyses_.get<Constants>().literal(index);
      if (!member || *member >= info.count) return false;
      type = types.member(type, uint32_t(*member));
      continue;
    }
    case TypeInfo::Kind::Vector:
    case TypeInfo::Kind::Matrix:
      if (!isBelow(index, info.count, at)) return false;
      break;
    case TypeInfo::Kind::Array: {
      const auto length = analyses_.get<Constants>().literal(info.length);
      if (!length || !isBelow(index, *length, at)) return false;
      break;
    }
    default:
      return false;
    }
    type = info.element;
  }
  return true;
}

/// Every access chain from the variable on.
bool Speculation::isInRangeToVariable(Id pointer, BlockRef at) {
  for (uint32_t steps = 0; steps < 64; ++steps) {
    const InstRef def = module_.def(pointer);
    if (!def) return false;
    switch (module_.opcode(def)) {
    case spv::Op::OpVariable:
      return true;
    case spv::Op::OpCopyObject:
      break;
    case spv::Op::OpAccessChain:
    case spv::Op::OpInBoundsAccessChain:
      if (!isInRange(def, at)) return false;
      break;
    default:
      return false;
    }
    pointer = module_.idAt(def, 3);
  }
  return false;
}

// ---- loads ----

void Speculation::collectAccesses() {
  hasAccesses_ = true;
  // A helper invocation's store accesses nothing, whatever its address.
  const bool doStoresCount = !mayHaveHelpers(module_);
  endsInterval_.resize(module_.blockCount() + 1);
  for (uint32_t b = 1; b <= module_.blockCount(); ++b)
    for (InstRef i : module_.blockInsts(BlockRef(b))) {
      const Effect effects = module_.effects(i);
      if (has(effects, Effect::Atomic) || has(effects, Effect::Barrier)) endsInterval_[b] = true;
      const spv::Op op = module_.opcode(i);
      if (!isLoad(op) && !(op == spv::Op::OpStore && doStoresCount)) continue;
      const Id pointer = module_.idAt(i, pointerWord(module_.facts(i)));
      const auto storage = analyses_.get<Types>().storageOf(pointer);
      const bool isUniform = storage == spv::StorageClass::Uniform;
      if (!isUniform && storage != spv::StorageClass::StorageBuffer &&
          storage != spv::StorageClass::Workgroup)
        continue;
      const PointerOrigin origin = originOf(analyses_, pointer);
      if (!origin.variable) continue;
      std::vector<Id> place = placeOf(origin);
      accesses_[place].push_back(i);
      // A uniform block is asked for as a whole: the descriptor.
      if (!isUniform || isStorageBuffer(analyses_, origin.variable)) continue;
      const size_t levels = descriptorLevels(origin.variable);
      if (place.size() > levels + 1) {
        place.resize(levels + 1);
        accesses_[place].push_back(i);
      }
    }
}

/// Whether no barrier, atomic or call (which has every effect) stands on any way from `before` to
/// the end of `at`, which its block dominates.
bool Speculation::isSameInterval(InstRef before, BlockRef at) const {
  const BlockRef first = module_.blockOf(before);
  // Behind `before` in its own block.
  if (endsInterval_[first.value])
    for (uint32_t i = before.value + 1; i < module_.blockInsts(first).last.value; ++i) {
      const Effect effects = module_.effects(InstRef(i));
      if (has(effects, Effect::Atomic) || has(effects, Effect::Barrier)) return false;
    }
  std::vector<BlockRef> pending{at}, seen{at};
  while (!pending.empty()) {
    const BlockRef b = pending.back();
    pending.pop_back();
    if (b == first) continue;
    if (endsInterval_[b.value] || seen.size() > kMaxBlocks) return false;
    for (BlockRef from : analyses_.get<Cfg>().predecessors(b)) {
      if (!analyses_.get<Cfg>().isReachable(from)) continue;
      if (std::find(seen.begin(), seen.end(), from) != seen.end()) continue;
      seen.push_back(from);
      pending.push_back(from);
    }
  }
  return true;
}

/// Whether the place is accessed on every way to the end of `at`. With a load: so that it may be
/// made there as well.
bool Speculation::wasAccessed(const std::vector<Id>& place, BlockRef at, InstRef load) {
  if (!hasAccesses_) collectAccesses();
  const auto found = accesses_.find(place);
  if (found == accesses_.end()) return false;
  size_t looked = 0;
  for (InstRef i : found->second) {
    if (++looked > kMaxAccesses) return false;
    if (isSpecialAccess(module_, i) ||
        !analyses_.get<Dominance>().dominates(module_.blockOf(i), at))
      continue;
    if (!load || (asksNoMore(module_, load, i) && isSameInterval(i, at))) return true;
  }
  return false;
}

/// A load of a buffer that is declared volatile or coherent, or that may be one.
bool Speculation::isVolatile(InstRef load) const {
  if (!hasVolatile_) return false;
  const Id variable = originOf(analyses_, module_.idAt(load, 3)).variable;
  return !variable || isVolatileOrCoherent(analyses_, variable);
}

/// Indices that choose a descriptor of a variable that stands for an array of them.
uint32_t Speculation::descriptorLevels(Id variable) const {
  const Types& types = analyses_.get<Types>();
  uint32_t levels = 0;
  for (Id type = types.pointee(variable);; type = types.info(type).element, ++levels) {
    const TypeInfo::Kind kind = types.info(type).kind;
    if (kind != TypeInfo::Kind::Array && kind != TypeInfo::Kind::RuntimeArray) return levels;
  }
}

/// Whether what a pointer leads to is in an array inside a block.
bool Speculation::isInArray(const PointerOrigin& origin) const {
  const Types& types = analyses_.get<Types>();
  Id type = types.pointee(origin.variable);
  uint32_t levels = descriptorLevels(origin.variable);
  for (Id index : origin.indices) {
    const TypeInfo& info = types.info(type);
    if (info.kind == TypeInfo::Kind::Struct) {
      const auto member = analyses_.get<Constants>().literal(index);
      if (!member || *member >= info.count) return true;
      type = types.member(type, uint32_t(*member));
      continue;
    }
    const bool isArray =
        info.kind == TypeInfo::Kind::Array || info.kind == TypeInfo::Kind::RuntimeArray;
    if (isArray && levels == 0) return true;
    if (isArray) --levels;
    type = info.element;
  }
  return false;
}

/// Whether it goes through a descriptor that all invocations which the branch leads to agree on,
/// and those that it does not lead to may not. Where they need not agree, NonUniform says so.
bool Speculation::mayHaveDivergentDescriptors(InstRef inst) const {
  if (!hasDescriptorArrays_ || isAccessChain(module_.opcode(inst))) return false;
  bool mayPart = false;
  module_.forEachIdOperand(inst, [&](uint32_t, Id pointer) {
    if (mayPart || !isDescriptorStorage(analyses_.get<Types>().storageOf(pointer))) return;
    if (analyses_.get<Decorations>().has(pointer, spv::Decoration::NonUniform)) return;
    const PointerOrigin origin = originOf(analyses_, pointer);
    const size_t levels = origin.variable ? descriptorLevels(origin.variable) : 0;
    mayPart = !origin.variable || origin.indices.size() < levels;
    for (size_t n = 0; n < levels && !mayPart; ++n)
      mayPart = !uniformityOf(analyses_).isUniform(origin.indices[n]);
  });
  return mayPart;
}

bool Speculation::isSafeLoad(InstRef load, BlockRef at) {
  const Id pointer = module_.idAt(load, 3);
  const auto storage = analyses_.get<Types>().storageOf(pointer);
  if (!storage) return false;
  const bool isAligned = hasOperand(module_, load, spv::MemoryAccessMask::Aligned);
  switch (*storage) {
  case spv::StorageClass::Function:
  case spv::StorageClass::Private:
  case spv::StorageClass::Input:
  case spv::StorageClass::PushConstant:
    return !isAligned && isInRangeToVariable(pointer, at);
  case spv::StorageClass::Uniform:
  case spv::StorageClass::StorageBuffer:
  case spv::StorageClass::Workgroup:
    break;
  default:
    return false;
  }
  const PointerOrigin origin = originOf(analyses_, pointer);
  if (!origin.variable) return false;
  std::vector<Id> place = placeOf(origin);
  if (*storage == spv::StorageClass::Uniform && !isStorageBuffer(analyses_, origin.variable)) {
    if (isAligned || !isInRangeToVariable(pointer, at)) return false;
    // A host binds the members of a block, but of an array as many elements as it has.
    if (!isInArray(origin))
      place.resize(std::min(place.size(), size_t(descriptorLevels(origin.variable)) + 1));
    return wasAccessed(place, at, {});
  }
  return wasAccessed(place, at, load);
}

// ---- all ----

SpeculationBlocker Speculation::blockerOfMoving(InstRef inst) const {
  if (module_.isUnknown(inst)) return SpeculationBlocker::Unknown;
  const spv::Op op = module_.opcode(inst);
  const Effect effects = module_.effects(inst);
  if (op == spv::Op::OpFunctionCall) return SpeculationBlocker::Call;
  if (module_.isUnread(inst)) return SpeculationBlocker::Unread;
  if (has(effects, Effect::Barrier)) return SpeculationBlocker::Barrier;
  if (has(effects, Effect::Atomic)) return SpeculationBlocker::Atomic;
  if (has(effects, Effect::Subgroup)) return SpeculationBlocker::SubgroupOperation;
  if (has(effects, Effect::WritesMemory)) return SpeculationBlocker::Store;
  if (op == spv::Op::OpUndef) return SpeculationBlocker::None;
  // What it makes must be used in its own block (SPIR-V 3.42.10).
  if (op == spv::Op::OpSampledImage) return SpeculationBlocker::Other;
  if (op == spv::Op::OpExtInst) {
    const ExtInstSet set = module_.extInstSet(module_.idAt(inst, 3));
    if (set != ExtInstSet::GlslStd450 && set != ExtInstSet::OpenClStd)
      return SpeculationBlocker::Other; // such as DebugPrintf
  }
  if (isPromised(analyses_, module_.resultId(inst))) return SpeculationBlocker::Promise;
  if (mayHaveDivergentDescriptors(inst)) return SpeculationBlocker::Load;
  // The order among volatile accesses counts.
  if (isLoad(op) && (isSpecialAccess(module_, inst) || isVolatile(inst)))
    return SpeculationBlocker::Load;
  // Of storage images, which may be volatile as well; sampled ones are only read.
  if (op == spv::Op::OpImageRead || op == spv::Op::OpImageSparseRead)
    return SpeculationBlocker::ImageRead;
  return SpeculationBlocker::None;
}

SpeculationBlocker Speculation::blockerOf(InstRef inst, BlockRef at) {
  const SpeculationBlocker moving = blockerOfMoving(inst);
  const spv::Op op = module_.opcode(inst);
  if (moving != SpeculationBlocker::None || op == spv::Op::OpUndef) return moving;
  if (op == spv::Op::OpExtInst) {
    const ExtInstFacts& facts =
        extInstFacts(module_.extInstSet(module_.idAt(inst, 3)), module_.word(inst, 4));
    return facts.speculatable ? SpeculationBlocker::None : SpeculationBlocker::Other;
  }
  if (module_.facts(inst).speculatable) return SpeculationBlocker::None;
  auto unless = [](bool isSafe, SpeculationBlocker blocker) {
    return isSafe ? SpeculationBlocker::None : blocker;
  };
  switch (op) {
  case spv::Op::OpLoad:
    return unless(isSafeLoad(inst, at), SpeculationBlocker::Load);
  case spv::Op::OpUDiv:
  case spv::Op::OpSDiv:
  case spv::Op::OpUMod:
  case spv::Op::OpSRem:
  case spv::Op::OpSMod:
    return unless(isDefinedDivision(inst, at), SpeculationBlocker::Division);
  case spv::Op::OpConvertFToU:
  case spv::Op::OpConvertFToS:
    return unless(isDefinedConversion(inst, at), SpeculationBlocker::Conversion);
  case spv::Op::OpVectorExtractDynamic:
  case spv::Op::OpVectorInsertDynamic: {
    const uint32_t indexWord = op == spv::Op::OpVectorExtractDynamic ? 4 : 5;
    const TypeInfo& vector = analyses_.get<Types>().info(module_.typeOf(module_.idAt(inst, 3)));
    return unless(isBelow(module_.idAt(inst, indexWord), vector.count, at),
                  SpeculationBlocker::Index);
  }
  case spv::Op::OpAccessChain:
  case spv::Op::OpInBoundsAccessChain: {
    if (isInRange(inst, at)) return SpeculationBlocker::None;
    // The address of what was accessed anyhow.
    const std::vector<Id> place = placeOf(originOf(analyses_, module_.resultId(inst)));
    return unless(!place.empty() && wasAccessed(place, at, {}), SpeculationBlocker::Index);
  }
  default:
    break;
  }
  return has(module_.effects(inst), Effect::ReadsMemory) ? SpeculationBlocker::ImageRead
                                                         : SpeculationBlocker::Other;
}

} // namespace lanewise
