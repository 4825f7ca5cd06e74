// occupancy: the workgroup's size or shared memory leaves half of a core without subgroups
//
// What: a core hides waiting by switching among the subgroups that it holds. It holds whole
// workgroups, as many as have room for their subgroups and their shared memory.
//
// Decided by: workgroups on a core of the target, counted from the workgroup's size and its bytes
// of shared memory; what is judged is the subgroups of those that a core can hold.
//
// Silent: targets that do not say what a core holds; unknown sizes; registers, of which only
// drivers' compilers know (`lanewise stats`).
//
// Reference: docs/lint/occupancy.md.

#include "analysis/shared_memory/shared_variables.h"
#include "analysis/shared_memory/target_limits.h"
#include "lint/context.h"
#include "text/format_text.h"

#include <string>

namespace lanewise {
namespace {

/// Of the subgroups that a core can hold; with more than half of them most latencies are hidden.
constexpr double kEnough = 0.5;

std::string percent(double share) {
  return formatText("{:.0f} %", share * 100);
}

/// Sizes that would hold more of a core, with the same shared memory: multiples of the subgroup,
/// doubled and halved from the present one.
std::string betterSizes(uint64_t invocations, const ResidentWorkgroups& now,
                        const TargetProfile& target) {
  std::string text;
  for (uint64_t size = target.subgroupSize; size <= target.maxWorkgroupInvocations; size *= 2) {
    const double share = residentWorkgroups(size, now.bytes, target).occupancy(target);
    if (size == invocations || share <= now.occupancy(target) || share <= kEnough) continue;
    text += formatText("{}{} ({})", text.empty() ? "" : ", ", size, percent(share));
  }
  return text;
}

std::string whatLimits(const ResidentWorkgroups& now) {
  if (now.byBytes && *now.byBytes < now.bySubgroups)
    return formatText("their {} bytes of shared memory", now.bytes);
  return "their size";
}

} // namespace

void lintOccupancy(LintContext& context, LintFindings& findings) {
  const TargetProfile& target = context.target();
  if (target.maxSubgroupsPerCore == 0) return;
  for (Kernel& kernel : context.kernels()) {
    const uint64_t invocations = kernel.invocations();
    const auto bytes = sharedMemoryBytes(context.analyses(), *kernel.entry, target);
    if (invocations == 0 || invocations > target.maxWorkgroupInvocations || !bytes ||
        *bytes > target.maxSharedMemory)
      continue;
    const ResidentWorkgroups now = residentWorkgroups(invocations, *bytes, target);
    const double share = now.occupancy(target);
    if (share > kEnough) continue;
    std::string message =
        formatText("a core of {} holds {} workgroup{} of {} subgroup{}, {} of what it could, "
                   "limited by {}",
                   target.name, now.count(), now.count() == 1 ? "" : "s", now.subgroups,
                   now.subgroups == 1 ? "" : "s", percent(share), whatLimits(now));
    const std::string sizes = betterSizes(invocations, now, target);
    if (!sizes.empty())
      message += formatText("; with the same shared memory, better sizes are {}", sizes);
    LintFinding finding = context.findingIn(*kernel.entry, Severity::Warning, std::move(message));
    finding.args = {{"workgroups", formatText("{}", now.count())},
                    {"subgroups", formatText("{}", now.count() * now.subgroups)},
                    {"most-subgroups", formatText("{}", target.maxSubgroupsPerCore)},
                    {"shared-memory", formatText("{}", *bytes)},
                    {"target", target.name}};
    findings.push_back(std::move(finding));
  }
}

} // namespace lanewise
