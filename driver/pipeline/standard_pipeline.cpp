// What -O stands for: canonical passes, with ours where the code is in the form that their analyses
// read best. docs/command-line.md tells users; `lanewise passes` prints the list.
#include "pipeline/pipeline.h"

#include <algorithm>

namespace lanewise::driver {

namespace {

/// Canonical form: everything inlined, variables in SSA form, constants folded, dead code gone.
/// Ours come next, so that an array index is one expression of the built-ins and every access to a
/// Workgroup variable is seen in the entry point itself.
constexpr const char* kCanonicalize[] = {
    "--inline",           // first, so that everything else sees whole functions
    "--globaldce",        // the functions that are nowhere called any more
    "--sroa",             // parts of variables,
    "--mem2reg",          // which become values,
    "--gvn",              // which are folded and numbered
    "--simplifycfg",      // branches on what was folded
    "--loop-unroll-full", // needs counters that are values, and bounds that are folded
};

/// Where that unrolled a loop: an array that its counter indexed has literal indices now.
constexpr const char* kBehindUnrolling[] = {
    "--gvn",         // indices
    "--simplifycfg", // branches on the counter, and copies of one block each
    "--sroa",
    "--mem2reg",
};

constexpr const char* kCanonicalizeRest[] = {
    "--memcpyopt",   // arrays that are still whole, and only copies
    "--gvn",         // phis that lost an operand, and memory across merges that are gone
    "--adce",        // what nobody needs now
    "--simplifycfg", // blocks that are empty now
};

/// What ours left behind: conditions of flattened branches, indices of arrays that moved.
constexpr const char* kCleanUp[] = {
    "--gvn", "--adce", "--simplifycfg",
    "--globaldce", // types and constants that are not used any more
};

/// The same by spirv-opt: the passes of its own -O in their order.
constexpr const char* kSpirvOptCanonicalize[] = {
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

/// The rest of it. if-conversion stands behind ours, because predication judges the
/// branches that the shader has. Without --copy-propagate-arrays: it moves the read of a buffer to
/// where its copy in a local array is used, past stores, barriers and atomics that come between,
/// and drops the read's memory operands. unsound_steps.h has what is left out of some modules only.
constexpr const char* kSpirvOptCleanUp[] = {
    "--if-conversion", "--reduce-load-size",       "--eliminate-dead-code-aggressive",
    "--merge-blocks",  "--redundancy-elimination", "--eliminate-dead-branches",
    "--merge-blocks",  "--simplify-instructions",
};

PipelineStep stepOfStandard(std::string_view flag) {
  const PassInfo* pass = findPass(flag.substr(2));
  PipelineStep step{std::string(flag), pass, {}, true};
  if (pass) step.mode = pass->defaultValue();
  return step;
}

} // namespace

std::vector<PipelineStep> standardPipeline(Canonical whose) {
  const bool isOurs = whose == Canonical::Lanewise;
  std::vector<PipelineStep> steps;
  const auto add = [&](std::span<const char* const> flags) {
    for (const char* flag : flags) steps.push_back(stepOfStandard(flag));
  };
  add(isOurs ? std::span<const char* const>(kCanonicalize) : kSpirvOptCanonicalize);
  if (isOurs) {
    for (const char* flag : kBehindUnrolling)
      steps.emplace_back(stepOfStandard(flag)).onlyBehind = "loop-unroll-full";
    add(kCanonicalizeRest);
  }
  for (const PassInfo& pass : allPasses())
    if (pass.inO && !pass.isCanonical)
      steps.push_back(stepOfStandard("--" + std::string(pass.flag)));
  add(isOurs ? std::span<const char* const>(kCleanUp) : kSpirvOptCleanUp);
  return steps;
}

} // namespace lanewise::driver
