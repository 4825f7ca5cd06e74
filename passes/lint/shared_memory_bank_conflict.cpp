// shared-memory-bank-conflict: lanes access different words of one shared-memory bank
//
// What: an access of a Workgroup array that the banks of the target serve in several turns because
// lanes ask one bank for different words.
//
// Decided by: the addresses of all lanes, counted (analysis/shared_memory/access_pattern.h), for
// the workgroup size and the target. Where indices depend on data nothing is counted. Of
// cooperative matrices, by their stride and a model of how they are loaded
// (shared_memory/matrix_conflicts.h).
//
// Example:
//
//     shared float tile[32][32];
//     x = tile[gl_LocalInvocationID.x][gl_LocalInvocationID.y];   // 32 lanes, one bank
//
// Silent: below twice the turns that the access needs at least.
//
// Reference: docs/design/conflicts-by-counting.md; docs/lint/shared-memory-bank-conflict.md.

#include "analysis/shared_memory/access_pattern.h"
#include "analysis/shared_memory/matrix_conflicts.h"
#include "analysis/shared_memory/shared_layout.h"
#include "analysis/shared_memory/shared_variables.h"
#include "analysis/uniformity/uniformity.h"
#include "analysis/values/lane_values.h"
#include "lint/context.h"
#include "text/format_text.h"

#include <algorithm>

namespace lanewise {
namespace {

/// Average turns of an access, as a multiple of the fewest that it could need.
constexpr double kLeastRatio = 2;

/// One finding for each variable and line: of inlined copies, the worst.
void add(LintFinding finding, double cycles, std::vector<double>& cyclesOf,
         LintFindings& findings) {
  for (size_t n = 0; n < findings.size(); ++n) {
    LintFinding& f = findings[n];
    if (finding.location.line == 0 || f.location != finding.location ||
        f.args.front() != finding.args.front())
      continue;
    if (cycles > cyclesOf[n]) f = std::move(finding), cyclesOf[n] = cycles;
    return;
  }
  findings.push_back(std::move(finding));
  cyclesOf.push_back(cycles);
}

/// The shortest longer stride that costs least, and what it costs. Whole pieces of 16 bytes more
/// keep the alignment that loads of matrices ask for (Vulkan, SPV_KHR_cooperative_matrix).
std::optional<std::pair<uint64_t, uint64_t>>
betterStride(const MatrixTransfer& t, const MatrixCost& now, const TargetProfile& target) {
  std::optional<std::pair<uint64_t, uint64_t>> best;
  MatrixTransfer longer = t;
  for (uint64_t more = 1; more <= 8; ++more) {
    longer.strideBytes = (t.strideBytes / 16 + more) * 16;
    const uint64_t cycles = costOf(longer, target).cycles;
    if (cycles < (best ? best->second : now.cycles)) best = {longer.strideBytes, cycles};
  }
  return best;
}

/// Loads and stores of cooperative matrices: what banks make of their stride.
void judgeMatrices(LintContext& context, std::vector<double>& cyclesOf, LintFindings& findings) {
  const TargetProfile& target = context.target();
  if (target.isSharedMemoryCached()) return;
  for (const MatrixTransfer& t : collectMatrixTransfers(context.analyses(), target)) {
    const FunctionRef function = context.module().functionOf(context.module().blockOf(t.inst));
    const bool isUsed =
        std::any_of(context.kernels().begin(), context.kernels().end(), [&](const Kernel& kernel) {
          const std::vector<FunctionRef>& functions = kernel.entry->functions;
          return std::binary_search(functions.begin(), functions.end(), function);
        });
    const MatrixCost cost = costOf(t, target);
    if (!isUsed || cost.cycles < kLeastRatio * double(cost.cleanCycles)) continue;
    const Id variable = originOf(context.analyses(), t.pointer).variable;
    const std::string name = variable ? context.nameOf(variable) : "shared memory";
    LintFinding finding = context.findingAt(
        t.inst, Severity::Warning,
        formatText(
            "{}-way bank conflict on {}: a matrix of {} x {} whose {} lie {} bytes apart takes "
            "{} cycles instead of {}, by pieces of 16 bytes of 8 {}",
            cost.degree, name, t.rows, t.columns, t.isByColumns ? "columns" : "rows", t.strideBytes,
            cost.cycles, cost.cleanCycles, t.isByColumns ? "columns" : "rows"),
        variable);
    finding.args = {{"variable", name},
                    {"degree", formatText("{}", cost.degree)},
                    {"turns", formatText("{}", cost.cycles)},
                    {"least-turns", formatText("{}", cost.cleanCycles)},
                    {"target", target.name}};
    if (const auto better = betterStride(t, cost, target))
      finding.notes.push_back(context.noteAt(
          t.inst, formatText("with {} {} bytes apart it takes {} cycles; the stride of every load "
                             "and store changes along with the array",
                             t.isByColumns ? "columns" : "rows", better->first, better->second)));
    add(std::move(finding), double(cost.cycles), cyclesOf, findings);
  }
}

} // namespace

void lintSharedMemoryBankConflict(LintContext& context, LintFindings& findings) {
  std::vector<double> cyclesOf;
  const auto variables = collectSharedVariables(context.analyses(), context.target());
  for (Kernel& kernel : context.kernels()) {
    if (!kernel.size) continue;
    const std::vector<FunctionRef>& functions = kernel.entry->functions;
    std::optional<std::map<const SharedAccess*, ExecutedAccess>> executed;
    LaneValues values(*kernel.affine, *kernel.size, context.target().subgroupSize);
    for (const SharedVariable& variable : variables) {
      const SharedLayout layout(variable);
      for (const SharedAccess& access : variable.accesses) {
        const BlockRef block = context.module().blockOf(access.inst);
        if (!std::binary_search(functions.begin(), functions.end(),
                                context.module().functionOf(block)) ||
            isNeverRun(context.analyses(), *kernel.affine, block))
          continue;
        auto costOf = [&](const std::optional<AccessPattern>& pattern) {
          return pattern
                     ? pattern->cost(context.target(), addressForm(variable, layout, access.node))
                     : AccessCost();
        };
        auto isClean = [](const AccessCost& cost) {
          return cost.cleanCycles == 0 || cost.cycles < kLeastRatio * cost.cleanCycles;
        };
        // A first look at each access, before the loops of all are run.
        if (isClean(costOf(AccessPattern::build(context.analyses(), *kernel.affine, values,
                                                variable, access, context.target()))))
          continue;
        if (!executed)
          executed = AccessPattern::execute(context.analyses(), *kernel.affine, *kernel.entry,
                                            pointersTo(variables), *kernel.size, context.target());
        const AccessCost cost = costOf(executed->at(&access).pattern);
        if (isClean(cost)) continue;
        const std::string name = context.nameOf(variable.id);
        const TargetProfile& target = context.target();
        LintFinding finding = context.findingAt(
            access.inst, Severity::Warning,
            target.isSharedMemoryCached()
                ? formatText("{} is spread over cache lines: a subgroup of {} touches {:.4g} of "
                             "them instead of {:.4g}",
                             name, target.subgroupSize, cost.cycles, cost.cleanCycles)
                : formatText("{}-way bank conflict on {}: a subgroup of {} takes {:.4g} cycles "
                             "instead of {:.4g}",
                             cost.degree, name, target.subgroupSize, cost.cycles, cost.cleanCycles),
            variable.id);
        finding.args = {{"variable", name},
                        {"degree", formatText("{}", cost.degree)},
                        {"turns", formatText("{:.4g}", cost.cycles)},
                        {"least-turns", formatText("{:.4g}", cost.cleanCycles)},
                        {"target", context.target().name}};
        add(std::move(finding), cost.cycles, cyclesOf, findings);
      }
    }
  }
  judgeMatrices(context, cyclesOf, findings);
}

} // namespace lanewise
