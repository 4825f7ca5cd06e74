#include "analysis/module/buffer_variables.h"

#include "analysis/module/decorations.h"
#include "analysis/module/types.h"
#include "ir/newer_enumerants.h"

namespace lanewise {

Id blockTypeOf(Analyses& analyses, Id variable) {
  const Types& types = analyses.get<Types>();
  Id type = types.pointee(variable);
  for (;;) {
    const TypeInfo& info = types.info(type);
    if (info.kind != TypeInfo::Kind::Array && info.kind != TypeInfo::Kind::RuntimeArray)
      return type;
    type = info.element;
  }
}

Id declaredTypeOf(Analyses& analyses, Id variable) {
  const Module& module = analyses.module();
  const InstRef i = module.def(variable);
  if (!i || module.opcode(i) != newer::Op::OpUntypedVariableKHR)
    return analyses.get<Types>().pointee(variable);
  return module.wordCount(i) > 4 ? module.idAt(i, 4) : Id();
}

bool isStorageBuffer(Analyses& analyses, Id variable) {
  auto storage = analyses.get<Types>().storageOf(variable);
  if (storage == spv::StorageClass::StorageBuffer) return true;
  return storage == spv::StorageClass::Uniform &&
         analyses.get<Decorations>().has(blockTypeOf(analyses, variable),
                                         spv::Decoration::BufferBlock);
}

bool isBufferDecorated(Analyses& analyses, Id variable, spv::Decoration decoration, bool all) {
  const Decorations& decorations = analyses.get<Decorations>();
  if (decorations.has(variable, decoration)) return true;
  const Id block = blockTypeOf(analyses, variable);
  const TypeInfo& info = analyses.get<Types>().info(block);
  if (info.kind != TypeInfo::Kind::Struct || info.count == 0) return false;
  uint32_t decorated = 0;
  for (uint32_t n = 0; n < info.count; ++n)
    decorated += decorations.hasMember(block, n, decoration);
  return all ? decorated == info.count : decorated != 0;
}

} // namespace lanewise
