#include "canonical/support/inline_types.h"

namespace lanewise {

void InlineTypes::index() {
  if (isIndexed_) return;
  isIndexed_ = true;
  pointerTo_.resize(module_.idBound());
  for (InstRef i : module_.globals()) {
    const spv::Op op = module_.opcode(i);
    if (op == spv::Op::OpTypeBool) bool_ = module_.resultId(i);
    if (op == spv::Op::OpTypePointer &&
        spv::StorageClass(module_.word(i, 2)) == spv::StorageClass::Function)
      pointerTo_[module_.word(i, 3)] = module_.resultId(i);
  }
}

Id InlineTypes::boolType() {
  index();
  if (!bool_) bool_ = rewriter_.declare({}, [](Id id) { return Inst(spv::Op::OpTypeBool).id(id); });
  return bool_;
}

Id InlineTypes::pointerTo(Id type) {
  index();
  if (type.value >= pointerTo_.size()) pointerTo_.resize(type.value + 1);
  Id& known = pointerTo_[type.value];
  if (!known)
    known = rewriter_.declare({}, [&](Id id) {
      return Inst(spv::Op::OpTypePointer)
          .id(id)
          .word(uint32_t(spv::StorageClass::Function))
          .id(type);
    });
  return known;
}

} // namespace lanewise
