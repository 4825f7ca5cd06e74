#include "analysis/specialization.h"

#include "analysis/assumptions.h"
#include "analysis/constants.h"
#include "analysis/decorations.h"
#include "analysis/types.h"

#include <fmt/format.h>
#include <vector>

namespace lanewise {

std::set<uint32_t> specIdsOf(Analyses& analyses, Id constant) {
  const Module& module = analyses.module();
  std::set<uint32_t> ids;
  std::set<Id> seen{constant};
  std::vector<Id> work{constant};
  while (!work.empty()) {
    const Id id = work.back();
    work.pop_back();
    const InstRef def = module.def(id);
    if (!def) continue;
    if (const auto specId = analyses.decorations().operand(module, id, spv::Decoration::SpecId))
      ids.insert(*specId);
    module.forEachIdOperand(def, [&](uint32_t, Id operand) {
      if (seen.insert(operand).second) work.push_back(operand);
    });
  }
  return ids;
}

void collectOpenLengths(Analyses& analyses, Id type, std::set<Id>& lengths) {
  const TypeInfo& info = analyses.types().info(type);
  if (info.kind == TypeInfo::Kind::Array) {
    if (!analyses.constants().literal(info.length)) lengths.insert(info.length);
    return collectOpenLengths(analyses, info.element, lengths);
  }
  if (info.kind != TypeInfo::Kind::Struct) return;
  for (uint32_t m = 0; m < info.count; ++m)
    collectOpenLengths(analyses, analyses.types().member(type, m), lengths);
}

std::string optionsToFreeze(Analyses& analyses, const std::set<Id>& constants) {
  std::set<uint32_t> ids;
  for (Id constant : constants) ids.merge(specIdsOf(analyses, constant));
  const auto& given = analyses.assumptions().specConstants;
  std::string values;
  for (uint32_t id : ids) {
    const auto value = given.find(id);
    values += fmt::format("{}{}:{}", values.empty() ? "" : " ", id,
                          value == given.end() ? "VALUE" : std::to_string(value->second));
  }
  return fmt::format("--set-spec-const-default-value='{}' --freeze-spec-const", values);
}

} // namespace lanewise
