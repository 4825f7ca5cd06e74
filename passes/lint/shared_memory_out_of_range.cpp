// shared-memory-out-of-range: an index of shared memory that leaves its array
//
// What: an access of a Workgroup array, or of a vector or matrix in one, by an index that is beyond
// the end for some invocation and iteration.
//
// Decided by: the index at every invocation of the first workgroup and every iteration of the loops
// round it (analysis/values/index_bounds.h), where it and the conditions in front of the access are
// functions of ids and counters.
//
// Example:
//
//     shared float tile[64];                    // local_size_x = 64
//     x = tile[gl_LocalInvocationIndex + 1];    // 64 for the last invocation
//
// Silent: whatever depends on data, later workgroups, lengths and sizes by specialization constants
// that nobody gave.
//
// Reference: SPIR-V, OpAccessChain: an index out of range is undefined behavior;
// docs/lint/shared-memory-out-of-range.md.

#include "analysis/module/constants.h"
#include "analysis/shared_memory/shared_variables.h"
#include "analysis/values/index_bounds.h"
#include "lint/context.h"
#include "text/format_text.h"

#include <algorithm>

namespace lanewise {
namespace {

/// What an index chooses from.
struct Range {
  uint64_t length = 0;
  std::string what;   ///< "'tile' has 64 elements"
  bool isRow = false; ///< a row: what is behind it is of the same variable, for most indices
};

class OutOfRange {
public:
  OutOfRange(LintContext& context, Kernel& kernel, LintFindings& findings)
      : context_(context), kernel_(kernel), findings_(findings),
        bounds_(context.analyses(), *kernel.affine, *kernel.entry, context.target().subgroupSize) {}

  void judge(const SharedVariable& variable, const SharedAccess& access) {
    const BlockRef block = context_.module().blockOf(access.inst);
    if (!std::ranges::binary_search(kernel_.entry->functions,
                                    context_.module().functionOf(block)) ||
        isNeverRun(context_.analyses(), *kernel_.affine, block))
      return;
    const std::vector<uint32_t> arrays = variable.arraysAbove(access.node);
    for (size_t n = 0; n < access.indices.size(); ++n)
      if (const auto length = lengthOf(variable.nodes[arrays[n]]))
        look(variable, access, access.indices[n],
             {*length,
              formatText("{}{} has {} elements", arrays[n] == 0 ? "" : "a row of ",
                         context_.nameOf(variable.id), *length),
              arrays[n] != 0});
    for (const auto& [index, count] : access.components)
      look(variable, access, index,
           {count,
            formatText("a part of {} has {} components", context_.nameOf(variable.id), count)});
  }

private:
  /// Nothing where it is for the host to choose.
  std::optional<uint64_t> lengthOf(const LayoutNode& node) const {
    const Constants& constants = context_.analyses().get<Constants>();
    if (constants.isUnassumedSpec(node.length)) return std::nullopt;
    return node.extent;
  }

  void look(const SharedVariable& variable, const SharedAccess& access, Id index,
            const Range& range) {
    const BlockRef block = context_.module().blockOf(access.inst);
    const auto point = bounds_.pointOutside(index, range.length, block);
    if (!point) return;
    std::string who;
    if (point->invocation) {
      const auto& [x, y, z] = *point->invocation;
      who = formatText(" for invocation ({}, {}, {})", x, y, z);
    }
    LintFinding finding = context_.findingAt(
        access.inst, range.isRow ? Severity::Warning : Severity::Error,
        formatText("index {} is out of range{}: {}", point->value, who, range.what), variable.id);
    finding.args = {{"variable", context_.nameOf(variable.id)},
                    {"index", formatText("{}", point->value)},
                    {"length", formatText("{}", range.length)}};
    findings_.push_back(std::move(finding));
  }

  LintContext& context_;
  Kernel& kernel_;
  LintFindings& findings_;
  IndexBounds bounds_;
};

} // namespace

void lintSharedMemoryOutOfRange(LintContext& context, LintFindings& findings) {
  const auto variables = collectSharedVariables(context.analyses(), context.target());
  for (Kernel& kernel : context.kernels()) {
    if (!kernel.size) continue;
    OutOfRange rule(context, kernel, findings);
    for (const SharedVariable& variable : variables) {
      for (const SharedAccess& access : variable.accesses) rule.judge(variable, access);
      for (const SharedAccess& access : variable.uncounted) rule.judge(variable, access);
    }
  }
}

} // namespace lanewise
