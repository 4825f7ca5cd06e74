// What -O stands for: the passes of spirv-opt's own -O in their order, with ours where the code is
// in the form that their analyses read best. docs/command-line.md tells users; `lanewise passes`
// prints the list.
#include "pipeline/pipeline.h"

#include <algorithm>

namespace lanewise::driver {

namespace {

/// Canonical form: everything inlined, variables in SSA form, constants folded, loops that ask for
/// it unrolled, dead code gone. Ours come next, so that an array index is one expression of the
/// built-ins and every access to a Workgroup variable is seen in the entry point itself.
constexpr const char* kCanonicalize[] = {
    "--wrap-opkill",
    "--eliminate-dead-branches",
    "--merge-return",
    "--inline-entry-points-exhaustive",
    "--eliminate-dead-functions",
    "--eliminate-dead-code-aggressive",
    "--private-to-local",
    "--eliminate-local-single-block",
    "--eliminate-local-single-store",
    "--eliminate-dead-code-aggressive",
    "--scalar-replacement=100",
    "--convert-local-access-chains",
    "--eliminate-local-single-block",
    "--eliminate-local-single-store",
    "--eliminate-dead-code-aggressive",
    "--ssa-rewrite",
    "--eliminate-dead-code-aggressive",
    "--ccp",
    "--eliminate-dead-code-aggressive",
    "--loop-unroll",
    "--eliminate-dead-branches",
    "--redundancy-elimination",
    "--combine-access-chains",
    "--simplify-instructions",
    "--scalar-replacement=100",
    "--convert-local-access-chains",
    "--eliminate-local-single-block",
    "--eliminate-local-single-store",
    "--eliminate-dead-code-aggressive",
    "--ssa-rewrite",
    "--eliminate-dead-code-aggressive",
    "--vector-dce",
    "--eliminate-dead-inserts",
    "--eliminate-dead-branches",
    "--simplify-instructions",
};

/// The rest of spirv-opt's -O. if-conversion stands behind ours, because predication judges the
/// branches that the shader has. Without --copy-propagate-arrays: it moves the read of a buffer to
/// where its copy in a local array is used, past stores, barriers and atomics that come between,
/// and drops the read's memory operands. unsound_steps.h has what is left out of some modules only.
constexpr const char* kCleanUp[] = {
    "--if-conversion", "--reduce-load-size",       "--eliminate-dead-code-aggressive",
    "--merge-blocks",  "--redundancy-elimination", "--eliminate-dead-branches",
    "--merge-blocks",  "--simplify-instructions",
};

} // namespace

std::vector<PipelineStep> standardPipeline() {
  std::vector<PipelineStep> steps;
  for (const char* flag : kCanonicalize) steps.push_back({flag, nullptr, {}, true});
  for (const PassInfo& pass : allPasses())
    if (pass.inO && !pass.isCanonical)
      steps.push_back(
          {"--" + std::string(pass.flag), &pass, std::string(pass.defaultValue()), true});
  for (const char* flag : kCleanUp) steps.push_back({flag, nullptr, {}, true});
  return steps;
}

} // namespace lanewise::driver
