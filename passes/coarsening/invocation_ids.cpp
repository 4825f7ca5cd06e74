#include "coarsening/invocation_ids.h"

#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/def_use.h"
#include "analysis/module/memory_operands.h"
#include "transforms/debug_cursor.h"

namespace lanewise {

bool isInvocationId(spv::BuiltIn builtIn) {
  return builtIn == spv::BuiltIn::LocalInvocationId ||
         builtIn == spv::BuiltIn::GlobalInvocationId ||
         builtIn == spv::BuiltIn::LocalInvocationIndex;
}

InvocationIds::InvocationIds(Analyses& analyses, const EntryPoint& entry)
    : analyses_(analyses), module_(analyses.module()) {
  const Decorations& decorations = analyses.get<Decorations>();
  // What is listed and not used as well: no built-in may be there twice
  // (VUID-StandaloneSpirv-OpEntryPoint-09658).
  for (Id v : variablesOf(module_, entry)) {
    const auto builtIn = decorations.builtIn(module_, v);
    if (!builtIn || module_.opcodeOf(v) != spv::Op::OpVariable) continue;
    variables_.try_emplace(uint32_t(*builtIn), v);
    if (isInvocationId(*builtIn)) collect(v, *builtIn);
  }
}

Id InvocationIds::variable(spv::BuiltIn builtIn) const {
  const auto found = variables_.find(uint32_t(builtIn));
  return found == variables_.end() ? Id() : found->second;
}

void InvocationIds::addLoad(InstRef load, IdLoad what) {
  if (module_.opcode(load) == spv::Op::OpLoad && isPlainAccess(module_, load))
    loads_.emplace(load, what);
  else if (module_.facts(load).opClass == OpClass::Value && !isDebugInstruction(module_, load))
    otherUse_ = load;
}

void InvocationIds::collect(Id variable, spv::BuiltIn builtIn) {
  const DefUse& defUse = analyses_.get<DefUse>();
  const Constants& constants = analyses_.get<Constants>();
  for (const Use& use : defUse.uses(variable)) {
    if (!module_.blockOf(use.user)) continue;
    const auto index = isAccessChain(module_.opcode(use.user)) && module_.wordCount(use.user) == 5
                           ? constants.literal(module_.idAt(use.user, 4))
                           : std::nullopt;
    if (!index || *index > 2) {
      addLoad(use.user, {builtIn, {}});
      continue;
    }
    for (const Use& inner : defUse.uses(module_.resultId(use.user)))
      if (module_.blockOf(inner.user)) addLoad(inner.user, {builtIn, uint32_t(*index)});
  }
}

std::optional<IdLoad> InvocationIds::loadAt(InstRef inst) const {
  const auto found = loads_.find(inst);
  return found == loads_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<InvocationIds::Picked> InvocationIds::pickedAt(InstRef inst) const {
  const spv::Op op = module_.opcode(inst);
  const bool isExtract = op == spv::Op::OpCompositeExtract && module_.wordCount(inst) == 5;
  const bool isShuffle = op == spv::Op::OpVectorShuffle && module_.wordCount(inst) <= 9;
  if (!isExtract && !isShuffle) return {};
  Picked picked;
  picked.load = module_.def(module_.idAt(inst, 3));
  const auto load = loadAt(picked.load);
  if (!load || load->component || load->builtIn == spv::BuiltIn::LocalInvocationIndex) return {};
  for (uint32_t n = isExtract ? 4 : 5; n < module_.wordCount(inst); ++n) {
    if (module_.word(inst, n) > 2) return {}; // of the other vector
    picked.components[picked.count++] = module_.word(inst, n);
  }
  return picked;
}

} // namespace lanewise
