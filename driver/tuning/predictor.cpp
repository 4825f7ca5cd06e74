#include "tuning/predictor.h"

#include <algorithm>

namespace lanewise::driver {

namespace {

double workgroupsOf(const BuiltProgram& program, const std::string& shader) {
  double sum = 0;
  for (const ScenarioDispatch& d : program.dispatches)
    if (d.shader == shader) sum += d.indirect ? 1 : double(d.groups[0]) * d.groups[1] * d.groups[2];
  return sum * program.repeat;
}

} // namespace

Predictions predict(CompilerSet& compilers, const Scenario& scenario, const BuiltProgram& program,
                    const TargetProfile& target) {
  Predictions all;
  std::map<std::string, size_t> told; // shaders, by compiler
  for (const auto& [name, words] : program.modules) {
    Assumptions assumptions;
    if (const auto given = program.constants.find(name); given != program.constants.end())
      assumptions.specConstants = given->second;
    const std::string& entry = scenario.findShader(name)->entry;
    for (const EntryCost& cost :
         entryCosts(compilers, words, assumptions, entry == "main" ? "" : entry, target,
                    program.subgroupSizeOf(name))) {
      Prediction& to = all[cost.compiler];
      to.cost += cost.ofWorkgroup() * workgroupsOf(program, name);
      to.registers = std::max(to.registers, cost.registers);
      ++told[cost.compiler];
    }
  }
  std::erase_if(all, [&](const auto& one) { return told[one.first] < program.modules.size(); });
  return all;
}

} // namespace lanewise::driver
