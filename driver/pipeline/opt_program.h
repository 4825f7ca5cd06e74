// `opt --scenario=S.toml` without an INPUT: all shaders of a scenario as one program, so that what
// they share may change its layout (docs/design/buffer-layouts.md).
#pragma once

#include "input/workload.h"
#include "lanewise/result.h"
#include "pipeline/opt_verify.h"
#include "pipeline/optimize_options.h"
#include "pipeline/pipeline.h"
#include "verify/scenario/scenario.h"
#include "verify/verify.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace lanewise::driver {

/// One shader of the program on its way through the pipeline.
struct ProgramModule {
  const ScenarioShader* shader = nullptr;
  LoadedModule module; ///< as it was read
  PipelineOutcome outcome;
};

struct OptimizedProgram {
  std::vector<ProgramModule> modules; ///< in the scenario's order
  Remarks remarks;                    ///< of the whole program
  LayoutManifest layouts;             ///< empty: nothing changed
  VerifySummary verification;         ///< with --verify
};

/// Whether the pipeline may change the layout of buffers.
bool changesLayouts(std::span<const PipelineStep> steps);

/// Runs the pipeline over all of `modules` (loaded, without outcomes). The steps before
/// --aos-to-soa run on each module; then the layouts are decided once, over all of them, and each
/// module is rewritten; then the others run. A layout that cannot be carried out in one module, or
/// that `verifier` finds to change what the host sees, is undone in all. `verifier` is null without
/// --verify. What --print-all and --bisect-limit print goes to `log`. The error is one line.
Result<OptimizedProgram> optimizeProgram(const ScenarioShaders& shaders,
                                         std::vector<ProgramModule> modules,
                                         const OptOptions& options, Verifier* verifier,
                                         std::ostream& log);

} // namespace lanewise::driver
