#include "analysis/buffer_variables.h"

#include "analysis/decorations.h"
#include "analysis/types.h"

namespace lanewise {

Id blockTypeOf(Analyses& analyses, Id variable) {
  const Types& types = analyses.types();
  Id type = types.pointee(variable);
  for (;;) {
    const TypeInfo& info = types.info(type);
    if (info.kind != TypeInfo::Kind::Array && info.kind != TypeInfo::Kind::RuntimeArray)
      return type;
    type = info.element;
  }
}

bool isStorageBuffer(Analyses& analyses, Id variable) {
  auto storage = analyses.types().storageOf(variable);
  if (storage == spv::StorageClass::StorageBuffer) return true;
  return storage == spv::StorageClass::Uniform &&
         analyses.decorations().has(blockTypeOf(analyses, variable), spv::Decoration::BufferBlock);
}

bool isBufferDecorated(Analyses& analyses, Id variable, spv::Decoration decoration, bool all) {
  const Decorations& decorations = analyses.decorations();
  if (decorations.has(variable, decoration)) return true;
  const Id block = blockTypeOf(analyses, variable);
  const TypeInfo& info = analyses.types().info(block);
  if (info.kind != TypeInfo::Kind::Struct || info.count == 0) return false;
  uint32_t decorated = 0;
  for (uint32_t n = 0; n < info.count; ++n)
    decorated += decorations.hasMember(block, n, decoration);
  return all ? decorated == info.count : decorated != 0;
}

} // namespace lanewise
