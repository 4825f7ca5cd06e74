#include "canonical/numbering/memory_numbers.h"

#include "analysis/module/memory_operands.h"

#include <algorithm>
#include <bit>

namespace lanewise {
namespace {

/// Chains of pointers that are looked through; combined ones are one step.
constexpr int kMaxPointerSteps = 64;

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
      isConstant_[variable.value] = isNeverWritten(analyses, variable);
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

MemoryClass MemoryNumbers::classOfPointer(Id pointer) const {
  const TypeInfo& info = values_.types().info(values_.typeOf(pointer));
  if (info.kind != TypeInfo::Kind::Pointer || !info.element) return MemoryClass::Other;
  return memoryClassOf(info.storage);
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
  return std::ranges::none_of(decorations_.of(variable),
                              [](const auto& d) { return isSpecial(d.decoration); }) &&
         !isUnsteadyInput(module_, decorations_, variable);
}

std::optional<MemoryNumbers::Number> MemoryNumbers::numberOf(InstRef inst, Id pointer) const {
  if (!isPlainAccess(module_, inst)) return {};
  const MemoryClass c = classOfPointer(pointer);
  if (c == MemoryClass::Other || (c == MemoryClass::Buffer && haveSpecialMembers_)) return {};
  const Id variable = variableOf(pointer);
  if (variable && !isSteady(variable)) return {};
  // A parameter, or an address: of which variable is not known.
  if (!variable && c != MemoryClass::Function &&
      (c != MemoryClass::Buffer || haveSpecialVariables_))
    return {};
  return Number{now_[size_t(isConstant_[variable.value] ? MemoryClass::ReadOnly : c)],
                ofVariable_[variable.value]};
}

MemoryNumbers::Write MemoryNumbers::writeOf(InstRef i) const {
  const MemoryClasses classes =
      writtenClasses(module_, i, [&](Id pointer) { return classOfPointer(pointer); });
  const MemoryClasses apart = only(MemoryClass::Function) | only(MemoryClass::Private) |
                              (mayWorkgroupAlias_ ? 0 : only(MemoryClass::Workgroup));
  const spv::Op op = module_.opcode(i);
  const bool isOfOne = (op == spv::Op::OpStore || op == spv::Op::OpCopyMemory) &&
                       std::has_single_bit(classes) && (classes & apart) != 0;
  return {classes, isOfOne ? variableOf(module_.idAt(i, 1)) : Id()};
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
    if (write.classes & MemoryClasses(1) << c) now_[c] = ++last_;
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
    if (written_ & MemoryClasses(1) << c) now_[c] = ++last_;
}

} // namespace lanewise
