// Which memory an instruction may write, by classes that cannot alias. For --gvn and --licm.
#pragma once

#include "analysis/module/analyses.h"
#include "analysis/module/decorations.h"
#include "analysis/module/memory_operands.h"
#include "ir/module.h"

#include <cstdint>

namespace lanewise {

/// Memory of one class is never that of another.
enum class MemoryClass : uint8_t {
  Function,
  Private,
  Workgroup,
  Output,
  Buffer, ///< and images
  ReadOnly,
  Count,
  Other ///< may be any
};

/// A set: bit n for the class n.
using MemoryClasses = uint32_t;
constexpr MemoryClasses only(MemoryClass c) {
  return MemoryClasses(1) << uint32_t(c);
}
inline constexpr MemoryClasses kEveryMemoryClass = only(MemoryClass::Count) - 1;
/// What other invocations write, too.
inline constexpr MemoryClasses kSharedMemoryClasses =
    only(MemoryClass::Workgroup) | only(MemoryClass::Output) | only(MemoryClass::Buffer);

/// Uniform blocks are in Buffer: they share their storage class with what is written.
MemoryClass memoryClassOf(spv::StorageClass storage);

/// Of a variable: a uniform block or push constants, which nobody writes by another name either.
bool isNeverWritten(Analyses& analyses, Id variable);

/// Whether the variable is an input that changes while the shader runs.
bool isUnsteadyInput(const Module& module, const Decorations& decorations, Id variable);

/// Classes of memory that change when the instruction is executed: that it writes, or where it may
/// make visible what others wrote. `classOf(Id pointer)` says where a pointer leads.
template <class ClassOf>
MemoryClasses writtenClasses(const Module& module, InstRef i, ClassOf&& classOf) {
  constexpr Effect kHarmless = Effect::ReadsMemory | Effect::MayTrapOrUndef | Effect::Subgroup;
  const spv::Op op = module.opcode(i);
  const OpClass c = module.facts(i).opClass;
  if (op == spv::Op::OpStore || op == spv::Op::OpCopyMemory) {
    const MemoryClass written = classOf(module.idAt(i, 1));
    if (written == MemoryClass::Other) return kEveryMemoryClass; // Generic
    // Volatile and the like: what others wrote may become visible.
    return only(written) | (isPlainAccess(module, i) ? 0 : kSharedMemoryClasses);
  }
  if (c != OpClass::Value && c != OpClass::Variable && c != OpClass::Unknown) return 0;
  const Effect effects = module.effects(i);
  if ((uint16_t(effects) & ~uint16_t(kHarmless)) == 0)
    return op == spv::Op::OpLoad && !isPlainAccess(module, i) ? kSharedMemoryClasses : 0;
  if (effects == Effect::Barrier || op == spv::Op::OpImageWrite) return kSharedMemoryClasses;
  if (isAtomic(module.facts(i))) {
    const MemoryClass written = classOf(module.idAt(i, pointerWord(module.facts(i))));
    const bool isShared = written == MemoryClass::Workgroup || written == MemoryClass::Buffer;
    return isShared ? kSharedMemoryClasses : kEveryMemoryClass;
  }
  return kEveryMemoryClass;
}

} // namespace lanewise
