#include "canonical/promotion/debug_values.h"

namespace lanewise {

void DebugDeclarations::add(InstRef i, uint32_t variable) {
  if (first_.size() <= variable) first_.resize(size_t(variable) + 1);
  all_.push_back({i, variable, first_[variable]});
  first_[variable] = uint32_t(all_.size());
}

void DebugDeclarations::writeValue(const Module& module, Rewriter& rewriter, uint32_t variable,
                                   InstRef at, Id value) const {
  forEach(variable, [&](InstRef declaration) {
    // The value is what the expression makes of it; of an address it might be something else.
    const InstRef expression = module.def(module.idAt(declaration, 7));
    if (module.wordCount(declaration) < 8 || !expression || module.wordCount(expression) != 5 ||
        module.extInstSet(module.idAt(declaration, 3)) == ExtInstSet::DebugInfo)
      return;
    Inst says(module.inst(declaration));
    says.set(2, rewriter.newId().value).set(4, kDebugValue).set(6, value.value);
    rewriter.insertBefore(at, std::move(says));
  });
}

InstRef behindPhis(const Module& module, BlockRef block) {
  InstRef at(module.blockInsts(block).first.value + 1);
  const auto isAtBeginning = [&](InstRef i) {
    if (module.opcode(i) == spv::Op::OpPhi || module.facts(i).opClass == OpClass::Line) return true;
    return module.opcode(i) == spv::Op::OpExtInst &&
           isDebugSet(module.extInstSet(module.idAt(i, 3)));
  };
  while (isAtBeginning(at)) at = InstRef(at.value + 1);
  return at;
}

} // namespace lanewise
