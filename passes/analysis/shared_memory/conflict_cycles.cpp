#include "analysis/shared_memory/conflict_cycles.h"

#include "analysis/control_flow/loops.h"
#include "analysis/shared_memory/access_pattern.h"
#include "analysis/shared_memory/shared_bounds.h"
#include "analysis/shared_memory/shared_layout.h"
#include "analysis/shared_memory/shared_variables.h"

#include <cmath>
#include <optional>

namespace lanewise {

double conflictCycles(Analyses& analyses, const EntryPoint& entry, const TargetProfile& target) {
  if (!entry.workgroupSize || target.isSharedMemoryCached()) return 0;
  const auto variables = collectSharedVariables(analyses, target);
  SharedBounds bounds(analyses, target, variables);
  const Loops& loops = analyses.get<Loops>();
  const auto executed =
      AccessPattern::execute(analyses, bounds.affine(entry), entry, pointersTo(variables),
                             entry.workgroupSize->size, target);
  double sum = 0;
  for (const SharedVariable& variable : variables) {
    const SharedLayout layout(variable);
    for (const SharedAccess& access : variable.accesses) {
      const BlockRef block = analyses.module().blockOf(access.inst);
      if (!bounds.runs(entry, access) || isNeverRun(analyses, bounds.affine(entry), block))
        continue;
      const std::optional<AccessPattern>& pattern = executed.at(&access).pattern;
      if (!pattern) continue;
      const AccessCost cost = pattern->cost(target, addressForm(variable, layout, access.node));
      const Loop* loop = loops.innermost(block);
      sum +=
          (cost.cycles - cost.cleanCycles) * std::pow(kCompilersTripCount, loop ? loop->depth : 0);
    }
  }
  return sum;
}

} // namespace lanewise
