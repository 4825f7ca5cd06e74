#include "analysis/module/indirect_calls.h"

#include "analysis/module/def_use.h"

namespace lanewise {
namespace {

bool isCall(const Module& module, const Use& use) {
  return module.opcode(use.user) == spv::Op::OpFunctionCall && use.word == 3;
}

/// A use by which nothing runs the function without OpFunctionCall. (Entry points run it, but not
/// from within the module.)
bool isHarmless(const Module& module, const Use& use) {
  if (isCall(module, use)) return true;
  if (module.isUnknown(use.user)) return false;
  switch (module.facts(use.user).opClass) {
  case OpClass::Preamble:
  case OpClass::Debug:
  case OpClass::Annotation:
    return true;
  default:
    return module.opcode(use.user) == spv::Op::OpExtInst &&
           isNonSemanticSet(module.extInstSet(module.idAt(use.user, 3)));
  }
}

} // namespace

IndirectCalls::IndirectCalls(Analyses& analyses)
    : mayRun_(size_t(analyses.module().functionCount()) + 1, false) {
  const Module& module = analyses.module();
  const DefUse& defUse = analyses.get<DefUse>();
  std::vector<FunctionRef> pending;
  auto add = [&](FunctionRef f) {
    if (!f || mayRun_[f.value]) return;
    mayRun_[f.value] = true;
    pending.push_back(f);
  };
  for (uint32_t f = 1; f <= module.functionCount(); ++f)
    for (const Use& use : defUse.uses(module.functionId(FunctionRef(f))))
      if (!isHarmless(module, use)) add(FunctionRef(f));
  while (!pending.empty()) {
    const FunctionRef caller = pending.back();
    pending.pop_back();
    for (InstRef i : module.functionInsts(caller))
      if (module.opcode(i) == spv::Op::OpFunctionCall) add(module.functionOfId(module.idAt(i, 3)));
  }
}

} // namespace lanewise
