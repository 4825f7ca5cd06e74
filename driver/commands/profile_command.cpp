// `lanewise profile`: runs a scenario or a shader in the interpreter, and prints what its accesses,
// branches and barriers do on a target.
#include "commands/commands.h"
#include "input/workload.h"
#include "options/option_groups.h"
#include "support/failure.h"
#include "support/print.h"
#include "support/progress_line.h"
#include "verify/profile/profile.h"
#include "verify/program/bind_program.h"

#include <algorithm>
#include <fmt/format.h>

namespace lanewise::driver {
namespace {

enum class ProfileFormat { Text, Json };

struct ProfileArguments {
  std::vector<std::string> inputs;
  std::string input; ///< a module or shader; "" where the scenario is all
  ScenarioChoice scenario;
  std::string variant, target = "generic";
  ProfileFormat format = ProfileFormat::Text;
  uint64_t top = 20;
  LoadOptions load;
  GivenConstants constants;
  Assumptions assumptions;
  ProfileOptions profile;
};

/// One scenario, or one module with or without --scenario.
Status checkInput(const CommandLine& line, ProfileArguments& o) {
  if (o.inputs.size() != 1 || o.inputs[0].empty())
    return failure(fmt::format(
        "profile takes one scenario or shader, not {}; see 'lanewise profile --help'",
        o.inputs.empty() || o.inputs[0].empty() ? "none" : fmt::format("{}", o.inputs.size())));
  if (!o.inputs[0].ends_with(".toml") || line.isGiven("-x")) {
    o.input = o.inputs[0];
    return ok();
  }
  if (o.scenario.isGiven())
    return failure(
        fmt::format("{} and --scenario={}: give one scenario", o.inputs[0], o.scenario.path));
  o.scenario.path = o.inputs[0];
  if (!o.scenario.shader.empty())
    return failure("--shader needs a module to replace it with; give one beside --scenario");
  return ok();
}

Status takeVariant(const ProfileArguments& o, Workload& work) {
  if (o.variant.empty()) return ok();
  ProgramVariant& program = work.programs[0];
  std::vector<std::string> names;
  for (const ScenarioVariant& variant : work.scenario.variants) {
    names.push_back(variant.name);
    if (variant.name != o.variant) continue;
    program.dispatches = variant.dispatches;
    Result<LayoutManifest> layouts = layoutsOf(variant);
    if (!layouts) return layouts.error();
    program.layouts = std::move(*layouts);
    return ok();
  }
  return failure(fmt::format("{}: there is no variant `{}`; its variants are {}",
                             work.scenario.path, o.variant,
                             names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
}

Result<Workload> workloadOfScenario(const ProfileArguments& o) {
  Result<ScenarioShaders> shaders = ScenarioShaders::read(o.scenario, o.load);
  if (!shaders) return shaders.error();
  Workload work;
  work.scenario = shaders->scenario();
  ProgramVariant& program = work.programs.emplace_back();
  program.name = o.variant.empty() ? "the scenario" : o.variant;
  if (Status taken = takeVariant(o, work); !taken) return taken.error();
  const std::vector<const ScenarioShader*> used =
      shadersOf(shaders->scenario(),
                program.dispatches.empty() ? work.scenario.dispatches : program.dispatches);
  const ScenarioShader* replaced = nullptr;
  if (!o.input.empty()) {
    Result<const ScenarioShader*> found = shaders->standsFor(o.input);
    if (!found) return found.error();
    replaced = *found;
    if (std::find(used.begin(), used.end(), replaced) == used.end()) {
      std::vector<std::string> names;
      for (const ScenarioShader* shader : used) names.push_back(shader->name);
      return failure(fmt::format("{}: {} stands for shader `{}`, which is not dispatched; give "
                                 "--shader=NAME, one of {}",
                                 work.scenario.path, o.input, replaced->name,
                                 fmt::join(names, ", ")));
    }
  }
  for (const ScenarioShader* shader : used) {
    Result<LoadedModule> module =
        shader == replaced ? shaders->loadStandIn(*shader, o.input) : shaders->load(*shader);
    if (!module) return module.error();
    program.modules[shader->name] = wordsOf(std::move(*module), Lines::Keep);
  }
  return work;
}

Result<Workload> workloadOfModule(const ProfileArguments& o) {
  Result<LoadedModule> module = loadModule(o.input, o.load);
  if (!module) return module.error();
  Workload work;
  const std::string name = o.load.entry.empty() ? "main" : o.load.entry;
  const ShaderPair pair{name, module->words(), module->words()};
  ConstantUse use(o.constants);
  Result<Assumptions> given = use.assumptionsFor(*module->read, o.assumptions);
  warnOf(use.unused());
  if (!given) return failure(fmt::format("{}: {}", o.input, given.error().message));
  Result<Scenario> made = generateScenario(pair, *given, o.profile.seed, work.notes);
  if (!made)
    return failure(fmt::format("{}: {}; give --scenario=FILE.toml", o.input, made.error().message));
  work.scenario = std::move(*made);
  work.programs.push_back({o.input, {{name, pair.original}}, {}, true});
  return work;
}

int profile(ProfileArguments& o) {
  if (int code = openTarget(o.target, {}, o.profile.target)) return code;
  ProgressLine progress(o.format == ProfileFormat::Text);
  ProgressLine::tell(ProgressLine::Level::Task, o.inputs[0]);
  Result<Workload> work = o.scenario.isGiven() ? workloadOfScenario(o) : workloadOfModule(o);
  if (!work) return fail(work.error().str());
  auto inScenario = [&](const Error& error) {
    return fmt::format("{}: {}", o.scenario.isGiven() ? o.scenario.path : o.input, error.str());
  };
  Result<Marshalling> marshalling = marshal(work->scenario, work->programs);
  if (!marshalling) return fail(inScenario(marshalling.error()));
  Result<Program> program =
      bindProgram(marshalling->scenario, marshalling->programs[0], work->notes);
  if (!program) return fail(inScenario(program.error()));
  Result<Profile> profile =
      profileProgram(marshalling->scenario, *program, o.profile, marshalling->packed);
  if (!profile) return fail(inScenario(profile.error()));
  if (!profile->incomplete.empty())
    work->notes.insert(work->notes.begin(), "incomplete: " + profile->incomplete);
  if (o.format == ProfileFormat::Json) {
    printOut("{}", profileToJson(*profile, o.profile.target, work->notes));
    return kDone;
  }
  printOut("{}", formatProfile(*profile, o.profile.target, o.top));
  for (const std::string& note : work->notes)
    printDiagnostics(stdout, fmt::format("note: {}\n", note));
  return kDone;
}

class ProfileCommand : public Command {
public:
  void declare(CommandLine& line) override {
    line.about("Runs a scenario in the interpreter and counts, for the subgroups of a target: bank "
               "conflicts, sectors touched and active lanes of each access, how often each branch "
               "diverges, and arrivals at each barrier. A shader or module is run with the "
               "--scenario, in place of one of its shaders, or with inputs generated.\nExit codes: "
               "0 done; 1 bad usage or input, or a module that the interpreter does not know; 3 no "
               "device for --target=device.");
    line.example("Count for the generic target what a scenario does.",
                 "lanewise profile scenario.toml");
    line.example("Count for one GPU what a module does in the place of the scenario's shader.",
                 "lanewise profile --scenario=scenario.toml --target=nvidia tile.spv");
    line.positionals("SCENARIO|SHADER", "FILE.toml|SHADER", o_.inputs,
                     "a scenario (.toml), or a shader or module");
    line.check([this, &line] { return checkInput(line, o_); });
    line.group("What to run");
    addScenarioOptions(line, o_.scenario, "what to run a shader or module with");
    addShaderOption(line, o_.scenario);
    line.value("--variant", "NAME", o_.variant, "run this [[variant]] of the scenario");
    line.value("--seed", "N", o_.profile.seed, "seed of random inputs");
    line.group("How to load it");
    addSourceOptions(line, o_.load, "entry point (without a scenario)");
    addAssumptionOptions(line, o_.assumptions, o_.constants);
    refuseBesideScenario(line, o_.scenario);
    line.group("How to count and report");
    addTargetOption(line, o_.target);
    line.value("--format", "text|json", choice("--format", o_.format, {"text", "json"}),
               "form of the report");
    line.value("--top", "N", o_.top, "rows per table of the text, 0 for all (default 20)");
    addTimeoutOption(line, o_.profile.timeoutSeconds,
                     "time limit in seconds, after which no further workgroup is run (default 60)");
    line.check([this]() -> Status {
      if (o_.scenario.isGiven() || o_.variant.empty()) return ok();
      return failure("--variant needs --scenario=FILE.toml");
    });
  }
  int run(const CommandLine&) override { return profile(o_); }

private:
  ProfileArguments o_;
};

} // namespace

std::unique_ptr<Command> makeProfileCommand() {
  return std::make_unique<ProfileCommand>();
}

} // namespace lanewise::driver
