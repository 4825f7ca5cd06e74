#include "analysis/module/buffer_variables.h"

#include "analysis/module/decorations.h"
#include "analysis/module/types.h"
#include "ir/newer_enumerants.h"

namespace lanewise {
namespace {

/// Whether a member of a struct in `type` has the decoration.
bool isAnyMemberDecorated(const Types& types, const Decorations& decorations, Id type,
                          spv::Decoration decoration) {
  const TypeInfo& info = types.info(type);
  if (info.kind == TypeInfo::Kind::Array || info.kind == TypeInfo::Kind::RuntimeArray)
    return isAnyMemberDecorated(types, decorations, info.element, decoration);
  if (info.kind != TypeInfo::Kind::Struct) return false;
  for (uint32_t n = 0; n < info.count; ++n)
    if (decorations.hasMember(type, n, decoration) ||
        isAnyMemberDecorated(types, decorations, types.member(type, n), decoration))
      return true;
  return false;
}

} // namespace

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

bool isConstantBuffer(Analyses& analyses, Id variable) {
  auto storage = analyses.get<Types>().storageOf(variable);
  return storage == spv::StorageClass::PushConstant ||
         (storage == spv::StorageClass::Uniform && !isStorageBuffer(analyses, variable));
}

bool isBufferDecorated(Analyses& analyses, Id variable, spv::Decoration decoration, bool all) {
  const Decorations& decorations = analyses.get<Decorations>();
  if (decorations.has(variable, decoration)) return true;
  const Types& types = analyses.get<Types>();
  const Id block = blockTypeOf(analyses, variable);
  if (!all) return isAnyMemberDecorated(types, decorations, block, decoration);
  const TypeInfo& info = types.info(block);
  if (info.kind != TypeInfo::Kind::Struct || info.count == 0) return false;
  uint32_t decorated = 0;
  for (uint32_t n = 0; n < info.count; ++n)
    decorated += decorations.hasMember(block, n, decoration);
  return decorated == info.count;
}

} // namespace lanewise
