#include "pipelines.h"

#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/dominance.h"
#include "analysis/control_flow/loops.h"
#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/def_use.h"
#include "analysis/module/entry_points.h"
#include "analysis/module/source_lines.h"
#include "analysis/module/types.h"
#include "pass.h"

#include <spirv-tools/libspirv.hpp>
#include <spirv-tools/optimizer.hpp>

namespace lanewise::bench {

namespace {

constexpr spv_target_env kEnv = SPV_ENV_UNIVERSAL_1_6;

bool readAndWrite(const Words& input, Words& output) {
  auto module = Module::read(input);
  if (!module) return false;
  output.assign(module->words().begin(), module->words().end());
  return true;
}

/// Computes every analysis that a module has by itself.
void computeAll(Analyses& analyses) {
  analyses.get<DefUse>();
  analyses.get<Cfg>();
  analyses.get<Dominance>();
  analyses.get<Loops>();
  analyses.get<Types>();
  analyses.get<Constants>();
  analyses.get<Decorations>();
  analyses.get<EntryPoints>();
  analyses.get<SourceLines>();
}

bool analyze(const Words& input, Words& output) {
  auto module = Module::read(input);
  if (!module) return false;
  const Assumptions assumptions;
  Analyses analyses(*module, assumptions);
  computeAll(analyses);
  output.assign(module->words().begin(), module->words().end());
  return true;
}

/// All that Lanewise does but changing the module: every analysis, and every pass up to the
/// decision what it would rewrite (with the addresses and conflict counts that it asks for).
bool decide(const Words& input, Words& output) {
  auto module = Module::read(input);
  if (!module) return false;
  const TargetProfile target;
  const Assumptions assumptions;
  Analyses analyses(*module, assumptions);
  computeAll(analyses);
  Remarks remarks;
  for (const PassInfo& pass : allPasses()) {
    if (pass.isCanonical) continue;
    PassContext context{.module = *module,
                        .analyses = analyses,
                        .target = target,
                        .assumptions = assumptions,
                        .mode = pass.defaultValue(),
                        .maySite = [](std::string_view) { return false; },
                        .remarks = remarks};
    if (!runPass(pass, context)) return false;
  }
  output.assign(module->words().begin(), module->words().end());
  return true;
}

bool parseWithSpirvTools(const Words& input, Words& output) {
  spv_context context = spvContextCreate(kEnv);
  uint32_t instructions = 0;
  auto count = [](void* data, const spv_parsed_instruction_t*) {
    ++*static_cast<uint32_t*>(data);
    return SPV_SUCCESS;
  };
  spv_result_t result =
      spvBinaryParse(context, &instructions, input.data(), input.size(), nullptr, count, nullptr);
  spvContextDestroy(context);
  output.assign(1, instructions);
  return result == SPV_SUCCESS;
}

bool optimize(const Words& input, Words& output, void (*registerPasses)(spvtools::Optimizer&)) {
  spvtools::Optimizer optimizer(kEnv);
  optimizer.SetMessageConsumer([](auto&&...) {});
  registerPasses(optimizer);
  spvtools::OptimizerOptions options;
  options.set_run_validator(false);
  return optimizer.Run(input.data(), input.size(), &output, options);
}

bool runNullPipeline(const Words& input, Words& output) {
  return optimize(input, output,
                  [](spvtools::Optimizer& o) { o.RegisterPass(spvtools::CreateNullPass()); });
}

bool runPerformancePasses(const Words& input, Words& output) {
  return optimize(input, output, [](spvtools::Optimizer& o) { o.RegisterPerformancePasses(); });
}

bool validate(const Words& input, Words& output) {
  spvtools::SpirvTools tools(kEnv);
  spvtools::ValidatorOptions options;
  options.SetScalarBlockLayout(true);
  output.assign(1, tools.Validate(input.data(), input.size(), options) ? 1 : 0);
  return true; // what it finds is not the question here
}

constexpr Pipeline kPipelines[] = {
    {"lanewise read+write", "Module::read and the words back", &readAndWrite},
    {"lanewise + analyses", "the same with every analysis of the module", &analyze},
    {"lanewise + passes", "the same with every pass up to its decision what to rewrite", &decide},
    {"spirv-tools parse", "spvBinaryParse with an empty callback", &parseWithSpirvTools},
    {"spirv-opt null", "SPIRV-Tools' Optimizer with the null pass", &runNullPipeline},
    {"spirv-val", "SPIRV-Tools' validator", &validate, true},
    {"spirv-opt -O", "SPIRV-Tools' Optimizer with its performance passes", &runPerformancePasses,
     true},
};

} // namespace

std::span<const Pipeline> allPipelines() {
  return kPipelines;
}

} // namespace lanewise::bench
