#include "canonical/promotion/local_variables.h"

#include <algorithm>

namespace lanewise {
namespace {

/// Decorations that may go with the variable: they speak of its precision, or of memory that nobody
/// else can name.
bool isHarmless(spv::Decoration d) {
  switch (d) {
  case spv::Decoration::RelaxedPrecision:
  case spv::Decoration::Restrict:
  case spv::Decoration::Aliased:
  case spv::Decoration::RestrictPointer:
  case spv::Decoration::AliasedPointer:
  case spv::Decoration::UserSemantic:
  case spv::Decoration::UserTypeGOOGLE:
    return true;
  default:
    return false;
  }
}

/// Says nothing of what the id holds or of who may reach it.
bool isRemarkOn(OpClass c) {
  return c == OpClass::Debug || c == OpClass::Annotation || c == OpClass::Line;
}

} // namespace

LocalVariables::LocalVariables(Analyses& analyses)
    : module_(analyses.module()), decorations_(analyses.get<Decorations>()), all_(1) {
  // Variables of a function stand at the beginning of its first block (SPIR-V 2.4).
  for (InstRef i : module_.globals())
    if (module_.opcode(i) == spv::Op::OpVariable) add(i, FunctionRef());
  hasPrivate_ = !empty();
  for (uint32_t f = 1; f <= module_.functionCount(); ++f) {
    const FunctionRef function(f);
    if (module_.blockCount(function) == 0) continue;
    for (InstRef i : module_.blockInsts(module_.firstBlock(function)))
      if (module_.opcode(i) == spv::Op::OpVariable) add(i, function);
  }
  if (empty()) return;
  index_.assign(module_.idBound(), 0);
  for (uint32_t v = 1; v < size(); ++v) index_[all_[v].id.value] = v;
}

void LocalVariables::add(InstRef def, FunctionRef function) {
  const auto storage = spv::StorageClass(module_.word(def, 3));
  const bool isPrivate = storage == spv::StorageClass::Private;
  if (!isPrivate && storage != spv::StorageClass::Function) return;
  LocalVariable v;
  v.def = def;
  v.id = module_.resultId(def);
  v.type = module_.idAt(module_.def(module_.resultType(def)), 3);
  if (module_.wordCount(def) > 4) v.initial = module_.idAt(def, 4);
  v.function = function;
  v.isPrivate = isPrivate;
  const auto decorations = decorations_.of(v.id);
  if (std::all_of(decorations.begin(), decorations.end(),
                  [](const Decoration& d) { return isHarmless(d.decoration); }))
    all_.push_back(v);
}

void LocalVariables::useElsewhere(LocalVariable& v, FunctionRef function) {
  if (v.isPrivate && !v.function)
    v.function = function;
  else
    v.isCandidate = false;
}

/// Debug information of the whole module, initializers of other variables.
void LocalVariables::dropGlobalUses() {
  for (InstRef i : module_.globals()) {
    if (isRemarkOn(module_.facts(i).opClass) || module_.opcode(i) == spv::Op::OpEntryPoint)
      continue;
    module_.forEachIdOperand(i, [&](uint32_t, Id id) {
      if (const uint32_t v = indexOf(id); v != 0) drop(v);
    });
  }
}

void LocalVariables::finish() {
  if (!hasPrivate_) return;
  dropGlobalUses();
  // An entry point's function runs once for each invocation, from its beginning: nothing calls it.
  std::vector<bool> isEntry(module_.functionCount() + 1);
  for (InstRef i : module_.globals())
    if (module_.opcode(i) == spv::Op::OpEntryPoint)
      isEntry[module_.functionOfId(module_.idAt(i, 2)).value] = true;
  for (InstRef i : module_.insts())
    if (module_.opcode(i) == spv::Op::OpFunctionCall)
      isEntry[module_.functionOfId(module_.idAt(i, 3)).value] = false;
  for (LocalVariable& v : all_)
    if (v.isPrivate && !isEntry[v.function.value]) v.isCandidate = false;
}

} // namespace lanewise
