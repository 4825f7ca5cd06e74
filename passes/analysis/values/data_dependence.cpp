#include "analysis/values/data_dependence.h"

#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/def_use.h"
#include "analysis/module/indirect_calls.h"
#include "analysis/module/types.h"
#include "analysis/uniformity/uniformity.h"

#include <set>

namespace lanewise {
namespace {

/// Instructions that a value is computed from, as far as they are looked at.
constexpr size_t kMaxOrigins = 1024;

} // namespace

/// Looks at one value; adds those that it is computed from to `work`. True for data.
bool DataDependence::isData(Id id, std::vector<Id>& work) const {
  const InstRef def = module_.def(id);
  if (!def || module_.isUnknown(def)) return true;
  const OpcodeFacts& facts = module_.facts(def);
  switch (facts.opcode) {
  case spv::Op::OpVariable: {
    // Push constants and uniform buffers; counts of workgroups and the like.
    const auto builtIn = analyses_.get<Decorations>().builtIn(module_, id);
    return !builtIn || Uniformity::isUniformBuiltIn(module_, *builtIn, UniformScope::Dispatch);
  }
  case spv::Op::OpLoad: {
    const Id pointer = module_.idAt(def, 3);
    const Id variable = originOf(analyses_, pointer).variable;
    const auto storage = analyses_.get<Types>().storageOf(pointer);
    if (storage == spv::StorageClass::Input && variable) return isData(variable, work);
    return storage != spv::StorageClass::Function && storage != spv::StorageClass::Private;
  }
  case spv::Op::OpFunctionParameter: {
    const Parameter parameter = parameterOf(module_, def);
    if (analyses_.get<IndirectCalls>().mayRun(parameter.function)) return true; // nobody knows
    for (const Use& use : analyses_.get<DefUse>().uses(module_.functionId(parameter.function)))
      if (module_.opcode(use.user) == spv::Op::OpFunctionCall && use.word == 3 &&
          module_.wordCount(use.user) > 4 + parameter.index)
        work.push_back(module_.idAt(use.user, 4 + parameter.index));
    return false;
  }
  case spv::Op::OpFunctionCall:
    return false;
  default:
    break;
  }
  if (facts.opClass == OpClass::Constant)
    return analyses_.get<Constants>().isUnassumedSpec(id); // whatever the user makes it
  if (facts.opClass != OpClass::Value) return false;
  if (has(module_.effects(def), Effect::ReadsMemory)) return true;
  module_.forEachIdOperand(def, [&](uint32_t, Id operand) { work.push_back(operand); });
  return false;
}

bool DataDependence::dependsOnData(Id value) {
  const auto [at, isNew] = known_.try_emplace(value);
  if (!isNew) return at->second;
  std::vector<Id> work{value};
  std::set<Id> seen;
  while (!work.empty() && seen.size() < kMaxOrigins) {
    const Id id = work.back();
    work.pop_back();
    if (seen.insert(id).second && isData(id, work)) return at->second = true;
  }
  return false;
}

} // namespace lanewise
