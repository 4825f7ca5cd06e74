#include "analysis/uniformity/single_stores.h"

#include "analysis/control_flow/dominance.h"
#include "analysis/module/def_use.h"

#include <vector>

namespace lanewise {
namespace {

bool isVolatile(const Module& module, InstRef i) {
  const uint32_t word = memoryOperandsWord(module.opcode(i));
  return module.wordCount(i) > word &&
         (module.word(i, word) & uint32_t(spv::MemoryAccessMask::Volatile)) != 0;
}

/// Debug information and the like: names a value and does nothing with it.
bool onlyNames(const Module& module, InstRef user) {
  switch (module.facts(user).opClass) {
  case OpClass::Debug:
  case OpClass::Annotation:
  case OpClass::Preamble:
  case OpClass::Line:
    return true;
  default:
    break;
  }
  return module.opcode(user) == spv::Op::OpExtInst &&
         isNonSemanticSet(module.extInstSet(module.idAt(user, 3)));
}

} // namespace

SingleStores::Contents SingleStores::inspect(Id variable) const {
  const Module& module = analyses_.module();
  const DefUse& defUse = analyses_.get<DefUse>();
  InstRef def = module.def(variable);
  if (!def || module.opcode(def) != spv::Op::OpVariable) return {};
  auto storage = spv::StorageClass(module.word(def, 3));
  if (storage != spv::StorageClass::Function && storage != spv::StorageClass::Private) return {};

  Contents contents;
  std::vector<Id> pointers{variable};
  while (!pointers.empty()) {
    Id pointer = pointers.back();
    pointers.pop_back();
    for (const Use& use : defUse.uses(pointer)) {
      spv::Op op = module.opcode(use.user);
      if (op == spv::Op::OpLoad && !isVolatile(module, use.user)) continue;
      if (isAccessChain(op) && use.word == 3) {
        pointers.push_back(module.resultId(use.user));
        continue;
      }
      bool isWholeStore = op == spv::Op::OpStore && use.word == 1 && pointer == variable;
      if (isWholeStore && !contents.store && !isVolatile(module, use.user)) {
        contents = {module.idAt(use.user, 2), use.user};
        continue;
      }
      if (!onlyNames(module, use.user)) return {};
    }
  }
  if (!contents.store) {
    if (module.wordCount(def) > 4) contents.value = module.idAt(def, 4);
    return contents;
  }
  // A Private variable lives as long as the invocation: a store in a function that is called twice,
  // or after the load's function was called once already, would need a look at all calls.
  return storage == spv::StorageClass::Function ? contents : Contents{};
}

Id SingleStores::valueAt(Id variable, InstRef load) {
  auto [at, isNew] = contents_.try_emplace(variable);
  if (isNew) at->second = inspect(variable);
  const Contents& contents = at->second;
  if (contents.store &&
      !analyses_.get<Dominance>().dominates(analyses_.module(), contents.store, load))
    return {};
  return contents.value;
}

} // namespace lanewise
