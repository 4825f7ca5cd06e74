// `lanewise stats`: what drivers' compilers make of modules (docs/stats.md).
#include "batch/cache/build_identity.h"
#include "commands/commands.h"
#include "compilers/stats_run.h"
#include "input/workload.h"
#include "options/option_groups.h"
#include "recorded/pipeline_sets.h"
#include "support/failure.h"
#include "support/files.h"
#include "support/print.h"
#include "support/progress_line.h"
#include "support/terminal.h"

#include <algorithm>
#include <fmt/format.h>

namespace lanewise::driver {
namespace {

enum class StatsFormat : uint8_t { Text, Json };

struct StatsArguments {
  std::vector<std::string> inputs;
  std::string on{kDefaultCompilers};
  std::string disassemble; ///< --disassemble; "" when not given
  std::string output = "-";
  StatsFormat format = StatsFormat::Text;
  ScenarioChoice scenario;
  LoadOptions load;
  GivenConstants constants;
  Assumptions assumptions;
  PipelinesChoice pipelines;
  IsolationLimits isolation;
  uint32_t jobs = 0;
  CacheOptions cache;
};

/// Two inputs are what was and what became of it.
bool isComparison(const StatsArguments& o) {
  return o.inputs.size() == 2;
}

/// Each input with every set of constants that is recorded of it; of two that are compared both
/// with the heaviest set of the first, which the other was made of.
Result<std::vector<StatsInput>> withPipelines(const StatsArguments& o,
                                              std::vector<StatsInput> inputs) {
  std::vector<StatsInput> all;
  std::optional<PipelineSet> ofBoth;
  for (StatsInput& input : inputs) {
    std::vector<PipelineSet> sets;
    if (Result<LoadedModule> module = loadModule(input.path, input.load)) // else it is said later
      if (const auto given =
              o.constants.assumptionsFor(*module->read, input.assumptions)) { // the same
        Result<std::vector<PipelineSet>> its =
            setsOf(*o.pipelines.pipelines, input.path, module->words(), *module->read,
                   input.load.entry, *given);
        if (!its) return failure(fmt::format("{}: {}", input.path, its.error().message));
        sets = std::move(*its);
      }
    if (isComparison(o)) {
      if (!ofBoth && !sets.empty()) ofBoth = sets.front();
      if (ofBoth) input.assumptions = ofBoth->assumptions;
      all.push_back(std::move(input));
      continue;
    }
    for (const PipelineSet& set : sets)
      all.push_back({input.path, input.load, set.assumptions, set.describe(), o.constants});
    if (sets.empty()) all.push_back(std::move(input));
  }
  return all;
}

/// The inputs as they stand on the command line, or all shaders of the scenario.
Result<std::vector<StatsInput>> inputsOf(const StatsArguments& o) {
  std::vector<StatsInput> all;
  if (!o.scenario.isGiven()) {
    for (const std::string& input : o.inputs)
      all.push_back({input, o.load, o.assumptions, {}, o.constants});
    if (o.pipelines.isGiven()) return withPipelines(o, std::move(all));
    return all;
  }
  Result<ScenarioShaders> shaders = ScenarioShaders::read(o.scenario, o.load);
  if (!shaders) return shaders.error();
  for (const std::string& input : o.inputs) {
    Result<const ScenarioShader*> shader = shaders->standsFor(input);
    if (!shader) return shader.error();
    all.push_back({input, shaders->optionsForStandIn(**shader), o.assumptions, {}, {}, **shader});
  }
  if (o.inputs.empty())
    for (const ScenarioShader* shader : shaders->used())
      all.push_back({shader->path, shaders->optionsFor(*shader), o.assumptions, {}, {}, *shader});
  return all;
}

Status checkOptions(const StatsArguments& o) {
  if (o.inputs.empty() && !o.scenario.isGiven())
    return failure("no input; give files, or - for standard input");
  if (!o.inputs.empty())
    if (Status s = checkInputs(o.inputs, ""); !s) return s;
  if (o.pipelines.isGiven() && std::count(o.inputs.begin(), o.inputs.end(), "-") != 0)
    return failure("--pipelines needs files; standard input is read once");
  return checkDestination(o.output, o.inputs);
}

/// Of both columns together: the terminal's, else what a wide one has.
uint32_t sideBySideWidth() {
  const uint32_t width = terminalWidth(stdout);
  return width ? width : 160;
}

std::string reportOf(const StatsArguments& o, const StatsOutcome& outcome) {
  const std::vector<InputStats>& inputs = outcome.inputs;
  if (o.format == StatsFormat::Json) return statsAsJson(inputs, isComparison(o));
  std::string text;
  if (!o.disassemble.empty()) text = representationsAsText(inputs, sideBySideWidth());
  if (isComparison(o) && inputs[0].failure.empty() && inputs[1].failure.empty())
    return text + comparisonAsText(inputs[0], inputs[1]);
  return text + statsAsText(inputs);
}

bool hasFigures(const StatsOutcome& outcome) {
  for (const InputStats& input : outcome.inputs)
    for (const CompilerRow& row : input.rows)
      if (row.problem.empty()) return true;
  return false;
}

int run(const StatsArguments& o, const CommandLine& line) {
  setDefaultIsolation(o.isolation);
  StatsPlan plan;
  Result<std::vector<StatsInput>> inputs = inputsOf(o);
  if (!inputs) return fail(inputs.error().message);
  plan.inputs = std::move(*inputs);
  const std::string& on = o.disassemble.empty() ? o.on : o.disassemble;
  Result<std::vector<CompilerChoice>> compilers = chooseCompilers(on);
  if (!compilers)
    return fail(compilers.error().message, areCompilerNames(on) ? kNoDevice : kBadUsageOrInput);
  plan.compilers = std::move(*compilers);
  plan.wantsRepresentations = !o.disassemble.empty();
  plan.jobs = o.jobs;
  Result<std::string> identity = identityOf(plan.compilers);
  if (!identity) return fail(identity.error().message, kNoDevice);
  if (o.cache.isGiven()) {
    plan.openStore = [&o] { return openStore(o.cache); };
    plan.key.program = buildIdentity();
    plan.key.flags = line.key();
    plan.key.device = std::move(*identity);
  }
  std::optional<ProgressLine> progress;
  progress.emplace(o.format == StatsFormat::Text);
  Result<StatsOutcome> outcome = runStats(plan);
  progress.reset();
  if (!outcome) return fail(outcome.error().message);
  prune(o.cache);
  int exitCode = kDone;
  for (const std::string& warning : outcome->warnings) printDiagnostics(stderr, warning);
  warnOf(outcome->unused);
  for (const InputStats& input : outcome->inputs)
    if (!input.failure.empty()) exitCode = fail(input.failure);
  for (const StatsInput& input : plan.inputs) keepFile(input.path);
  OutputFiles file;
  const bool isAllFailed = std::all_of(outcome->inputs.begin(), outcome->inputs.end(),
                                       [](const InputStats& i) { return !i.failure.empty(); });
  if (isAllFailed && o.format == StatsFormat::Text) return exitCode;
  file.add(o.output, reportOf(o, *outcome));
  if (Status s = file.commit(); !s) return fail(s.error().message);
  if (exitCode == kDone && !hasFigures(*outcome)) return kNoDevice;
  return exitCode;
}

class StatsCommand : public Command {
public:
  void declare(CommandLine& line) override {
    line.about(
        "Compiles modules with drivers' compilers, and says what they make of them: registers, "
        "spills, shared memory, code size, instructions, occupancy, latency, throughput. AMD's "
        "needs no GPU: it is Mesa's RADV. Two inputs are compared.\nExit codes: 0 done; 1 bad "
        "usage or input; 3 no compiler gave any figures.");
    line.example("What AMD's compiler makes of a shader, for one GPU of each generation.",
                 "lanewise stats tile.comp");
    line.example("Compare a module with what became of it, for two GPUs.",
                 "lanewise stats --on=navi21,vega10 before.spv after.spv");
    line.example("Put the machine code side by side.",
                 "lanewise stats --disassemble=navi21 before.spv after.spv");
    line.positionals("INPUT", "SHADER", o_.inputs, ".spv, .spvasm, GLSL of any stage, .hlsl, or -");
    line.group("Compilers");
    line.value(
        "--on", "COMPILER,...", o_.on,
        "AMD GPUs such as navi21, devices by their index or cpu, all, or default: an AMD GPU of "
        "each generation");
    line.value("--disassemble", "COMPILER", o_.disassemble,
               "print the machine code that this compiler makes; of two inputs side by side");
    addIsolationOptions(line, o_.isolation);
    line.group("What to compile, and with which constants");
    addScenarioOptions(line, o_.scenario, "take specialization constants and files from it");
    addShaderOption(line, o_.scenario);
    addSourceOptions(line, o_.load, "this entry point only (of HLSL: the function to compile)");
    addEnvironmentOption(line, o_.load);
    addAssumptionOptions(line, o_.assumptions, o_.constants);
    addPipelinesOption(line, o_.pipelines);
    refuseBesideScenario(line, o_.scenario);
    line.group("Output");
    line.value("--format", "text|json", choice("--format", o_.format, {"text", "json"}),
               "form of the figures");
    line.value("-o,--output", "FILE", o_.output, "file to write (default: standard output)")
        .place();
    line.group("Many inputs");
    addJobsOption(line, o_.jobs);
    addCacheOptions(line, o_.cache);
    line.check([this, &line]() -> Status {
      if (line.isGiven("--on") && line.isGiven("--disassemble"))
        return failure("--disassemble names the compiler; leave out --on");
      return checkOptions(o_);
    });
  }

  int run(const CommandLine& line) override { return driver::run(o_, line); }

private:
  StatsArguments o_;
};

} // namespace

std::unique_ptr<Command> makeStatsCommand() {
  return std::make_unique<StatsCommand>();
}

} // namespace lanewise::driver
