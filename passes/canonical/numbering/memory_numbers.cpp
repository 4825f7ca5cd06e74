#include "canonical/numbering/memory_numbers.h"

#include "analysis/module/buffer_variables.h"
#include "analysis/module/memory_operands.h"

namespace lanewise {
namespace {

/// Chains of pointers that are looked through; combined ones are one step.
constexpr int kMaxPointerSteps = 64;

/// Inputs that change while the shader runs.
bool isUnsteady(spv::BuiltIn b) {
  switch (b) {
  case spv::BuiltIn::HelperInvocation:
  case spv::BuiltIn::RayTmaxKHR:
  case spv::BuiltIn::WarpIDNV:
  case spv::BuiltIn::SMIDNV:
    return true;
  default:
    return false;
  }
}

bool isSpecial(spv::Decoration d) {
  return d == spv::Decoration::Coherent || d == spv::Decoration::Volatile;
}

} // namespace

MemoryNumbers::MemoryNumbers(Analyses& analyses, const ValueTable& values)
    : module_(analyses.module()), values_(values), decorations_(analyses.get<Decorations>()),
      atEnd_(module_.blockCount() + 1), ofVariable_(module_.idBound()),
      isConstant_(module_.idBound()) {
  for (InstRef i : module_.globals()) {
    const spv::Op op = module_.opcode(i);
    if (op == spv::Op::OpVariable) {
      const Id variable = module_.resultId(i);
      isConstant_[variable.value] = isConstantBuffer(analyses, variable) &&
                                    !decorations_.has(variable, spv::Decoration::Aliased);
    } else if (op == spv::Op::OpMemberDecorate)
      haveSpecialMembers_ = haveSpecialMembers_ || isSpecial(spv::Decoration(module_.word(i, 3)));
    else if (op == spv::Op::OpGroupMemberDecorate)
      haveSpecialMembers_ = true;
    else if (op == spv::Op::OpDecorate)
      haveSpecialVariables_ =
          haveSpecialVariables_ || isSpecial(spv::Decoration(module_.word(i, 2)));
    else if (op == spv::Op::OpCapability && spv::Capability(module_.word(i, 1)) ==
                                                spv::Capability::WorkgroupMemoryExplicitLayoutKHR)
      mayWorkgroupAlias_ = true;
  }
}

MemoryNumbers::Class MemoryNumbers::classOf(spv::StorageClass storage) {
  switch (storage) {
  case spv::StorageClass::Function:
    return Function;
  case spv::StorageClass::Private:
    return Private;
  case spv::StorageClass::Workgroup:
    return Workgroup;
  case spv::StorageClass::Output:
    return Output;
  case spv::StorageClass::Uniform:
  case spv::StorageClass::StorageBuffer:
  case spv::StorageClass::PhysicalStorageBuffer:
    return Buffer;
  case spv::StorageClass::Input:
  case spv::StorageClass::UniformConstant:
  case spv::StorageClass::PushConstant:
    return ReadOnly;
  default:
    return Other;
  }
}

MemoryNumbers::Class MemoryNumbers::classOfPointer(Id pointer) const {
  const TypeInfo& info = values_.types().info(values_.typeOf(pointer));
  if (info.kind != TypeInfo::Kind::Pointer || !info.element) return Other;
  return classOf(info.storage);
}

/// The variable that a pointer leads into, null where it is not known.
Id MemoryNumbers::variableOf(Id pointer) const {
  for (int step = 0; step < kMaxPointerSteps; ++step) {
    const auto def = values_.inst(pointer);
    if (def.empty()) return {};
    const spv::Op op = spv::Op(def[0] & 0xFFFF);
    if (op == spv::Op::OpVariable) return values_.resolved(pointer);
    if (!isAccessChain(op) && op != spv::Op::OpCopyObject) return {};
    pointer = Id(def[3]);
  }
  return {};
}

bool MemoryNumbers::isSteady(Id variable) const {
  for (const Decoration& d : decorations_.of(variable)) {
    if (isSpecial(d.decoration)) return false;
    if (d.decoration == spv::Decoration::BuiltIn &&
        isUnsteady(spv::BuiltIn(module_.word(d.inst, d.operandWord))))
      return false;
  }
  return true;
}

std::optional<MemoryNumbers::Number> MemoryNumbers::numberOf(InstRef inst, Id pointer) const {
  if (!isPlainAccess(module_, inst)) return {};
  const Class c = classOfPointer(pointer);
  if (c == Other || (c == Buffer && haveSpecialMembers_)) return {};
  const Id variable = variableOf(pointer);
  if (variable && !isSteady(variable)) return {};
  // A parameter, or an address: of which variable is not known.
  if (!variable && c != Function && (c != Buffer || haveSpecialVariables_)) return {};
  return Number{now_[isConstant_[variable.value] ? ReadOnly : c], ofVariable_[variable.value]};
}

MemoryNumbers::Write MemoryNumbers::writeThrough(Id pointer) const {
  const Class c = classOfPointer(pointer);
  if (c == Other) return {};
  const bool isApart = c == Function || c == Private || (c == Workgroup && !mayWorkgroupAlias_);
  return {Mask(1) << c, isApart ? variableOf(pointer) : Id()};
}

MemoryNumbers::Write MemoryNumbers::writeOf(InstRef i) const {
  constexpr Mask kAll = (Mask(1) << kClasses) - 1;
  constexpr Mask kShared = Mask(1) << Workgroup | Mask(1) << Output | Mask(1) << Buffer;
  constexpr Effect kHarmless = Effect::ReadsMemory | Effect::MayTrapOrUndef | Effect::Subgroup;
  const spv::Op op = module_.opcode(i);
  const OpClass c = module_.facts(i).opClass;
  if (op == spv::Op::OpStore || op == spv::Op::OpCopyMemory) {
    Write write = writeThrough(module_.idAt(i, 1));
    if (write.classes == 0) return {kAll, {}}; // Generic: it may lead to any of them
    // Volatile and the like: what others wrote may become visible.
    return isPlainAccess(module_, i) ? write : Write{write.classes | kShared, {}};
  }
  if (c != OpClass::Value && c != OpClass::Variable && c != OpClass::Unknown) return {};
  const Effect effects = module_.effects(i);
  if ((uint16_t(effects) & ~uint16_t(kHarmless)) == 0)
    return op == spv::Op::OpLoad && !isPlainAccess(module_, i) ? Write{kShared, {}} : Write{};
  if (effects == Effect::Barrier || op == spv::Op::OpImageWrite) return {kShared, {}};
  if (isAtomic(module_.facts(i))) {
    const Id pointer = module_.idAt(i, pointerWord(module_.facts(i)));
    const Class c = classOfPointer(pointer);
    const bool isShared = c == Workgroup || c == Buffer ||
                          values_.types().storageOf(pointer) == spv::StorageClass::Image;
    return {isShared ? kShared : kAll, {}};
  }
  return {kAll, {}};
}

void MemoryNumbers::execute(InstRef i) {
  const Write write = writeOf(i);
  if (write.classes == 0) return;
  if (write.variable) {
    ofVariable_[write.variable.value] = ++last_;
    ofVariable_[0] = ++last_;
    return;
  }
  for (uint32_t c = 0; c < kClasses; ++c)
    if (write.classes & Mask(1) << c) now_[c] = ++last_;
}

void MemoryNumbers::enterFunction(FunctionRef f) {
  written_ = 0;
  for (InstRef i : module_.functionInsts(f)) written_ |= writeOf(i).classes;
  for (uint32_t& number : now_) number = ++last_;
}

void MemoryNumbers::enterBlock(BlockRef, BlockRef from) {
  if (from) {
    now_ = atEnd_[from.value];
    return;
  }
  for (uint32_t c = 0; c < kClasses; ++c)
    if (written_ & Mask(1) << c) now_[c] = ++last_;
}

} // namespace lanewise
