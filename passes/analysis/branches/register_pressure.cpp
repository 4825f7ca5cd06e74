#include "analysis/branches/register_pressure.h"

#include "analysis/branches/operation_cost.h"
#include "analysis/control_flow/cfg.h"
#include "analysis/module/def_use.h"
#include "analysis/module/types.h"

#include <algorithm>
#include <utility>

namespace lanewise {
namespace {

/// Steps in all for each instruction of the module.
constexpr size_t kStepsPerInst = 64;
constexpr uint32_t kMostOfArray = 64;

/// Of a local variable; a table that is stored once as a whole is a constant to compilers.
bool isStoredInParts(Analyses& analyses, Id variable) {
  const Module& module = analyses.module();
  const DefUse& defUse = analyses.get<DefUse>();
  const auto isStored = [&](const Use& use) {
    return module.opcode(use.user) == spv::Op::OpStore && use.word == 1;
  };
  return std::ranges::any_of(defUse.uses(variable), [&](const Use& use) {
    return isAccessChain(module.opcode(use.user)) &&
           std::ranges::any_of(defUse.uses(module.resultId(use.user)), isStored);
  });
}

} // namespace

uint32_t localArrayRegisters(Analyses& analyses, FunctionRef function) {
  const Module& module = analyses.module();
  const Types& types = analyses.get<Types>();
  uint32_t all = 0;
  for (InstRef i : module.blockInsts(module.firstBlock(function))) {
    if (module.opcode(i) != spv::Op::OpVariable) continue;
    const Id pointee = types.pointee(module.resultId(i));
    if (types.info(pointee).kind != TypeInfo::Kind::Array) continue;
    const uint32_t registers = registersOf(analyses, pointee);
    if (registers <= kMostOfArray && isStoredInParts(analyses, module.resultId(i)))
      all += registers;
  }
  return all;
}

RegisterPressure::RegisterPressure(Analyses& analyses, std::function<uint32_t(Id)> copiesOf)
    : analyses_(analyses), module_(analyses.module()), copiesOf_(std::move(copiesOf)),
      atEnd_(module_.blockCount() + 1), budget_(kStepsPerInst * module_.instCount()) {
  for (uint32_t f = 1; f <= module_.functionCount(); ++f) add(FunctionRef(f));
}

void RegisterPressure::add(FunctionRef function) {
  const Cfg& cfg = analyses_.get<Cfg>();
  std::vector<uint32_t> seen(module_.blockCount() + 1); // by BlockRef: value that was last here
  std::vector<BlockRef> pending;
  for (InstRef i : module_.functionInsts(function)) {
    const Id value = module_.resultId(i);
    const BlockRef home = module_.blockOf(i);
    if (!value || !home || !module_.resultType(i)) continue;
    const spv::Op op = module_.opcode(i);
    // Addresses are put together where they are used.
    if (isAccessChain(op) || op == spv::Op::OpVariable) continue;
    const uint32_t registers =
        registersOf(analyses_, module_.resultType(i)) * (copiesOf_ ? copiesOf_(value) : 1);
    if (registers == 0) continue;
    auto liveAtEnd = [&](BlockRef b) {
      if (!b || seen[b.value] == value.value) return;
      seen[b.value] = value.value;
      atEnd_[b.value] += registers;
      if (b != home) pending.push_back(b);
    };
    for (const Use& use : analyses_.get<DefUse>().uses(value)) {
      const BlockRef at = module_.blockOf(use.user);
      if (!at) continue;
      if (module_.opcode(use.user) == spv::Op::OpPhi)
        liveAtEnd(module_.blockOfLabel(module_.idAt(use.user, use.word + 1)));
      else if (at != home)
        for (BlockRef from : cfg.predecessors(at)) liveAtEnd(from);
    }
    while (!pending.empty()) {
      const BlockRef b = pending.back();
      pending.pop_back();
      if (budget_ == 0) return;
      --budget_;
      for (BlockRef from : cfg.predecessors(b)) liveAtEnd(from);
    }
  }
}

} // namespace lanewise
