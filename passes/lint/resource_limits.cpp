// resource-limits: more shared memory or invocations than the target has
//
// What: a pipeline that the target's driver must refuse.
//
// Decided by: the bytes of Workgroup variables in the target's layout, and the workgroup's size,
// against the target's limits. The target `generic` is no GPU, and has none.
//
// Silent: sizes by specialization constants that nobody gave.
//
// Reference: docs/lint/resource-limits.md.

#include "analysis/shared_memory/target_limits.h"
#include "lint/context.h"
#include "text/format_text.h"

namespace lanewise {

void lintResourceLimits(LintContext& context, LintFindings& findings) {
  for (const LimitExcess& excess : exceededLimits(context.analyses(), context.target())) {
    LintFinding finding =
        context.findingIn(*excess.entry, Severity::Error, describe(excess, context.target()));
    finding.args = {{"value", formatText("{}", excess.value)},
                    {"limit", formatText("{}", excess.most)},
                    {"target", context.target().name}};
    findings.push_back(std::move(finding));
  }
}

} // namespace lanewise
