// `lanewise profile`: runs a scenario or a shader in the interpreter, and prints what its accesses,
// branches and barriers do on a target.
#include "commands/commands.h"
#include "input/scenario_inputs.h"
#include "layout/layout_manifest.h"
#include "options/option_values.h"
#include "support/failure.h"
#include "support/print.h"
#include "targets/device_target.h"
#include "targets/target_profiles.h"
#include "verify/inputs/synthesize.h"
#include "verify/profile/profile.h"
#include "verify/program/bind_program.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <set>

namespace lanewise::driver {
namespace {

struct Options {
  std::vector<std::string> inputs;
  std::string input, scenario, size, shader, variant, kind, entry, workgroupSize;
  std::string target = "generic", format = "text";
  std::vector<std::string> defines, specConstants;
  size_t top = 20;
  LoadOptions load;
  ProfileOptions profile;
  bool hasModule() const { return !input.empty(); }
};

int fail(int code, std::string_view message) {
  printError("lanewise: {}\n", message);
  return code;
}

constexpr const char* kName = "lanewise profile";
constexpr const char* kAbout =
    "Runs a scenario in the interpreter and counts, for the subgroups of a target: bank conflicts, "
    "sectors touched and active lanes of each access, how often lanes disagree at each branch, and "
    "arrivals at each barrier. A shader or module is run with the --scenario, in place of one of "
    "its shaders, or with inputs generated.\n"
    "Exit codes: 0 done; 1 bad usage or input, or a module that the interpreter does not know; "
    "3 no device for --target=device.";

void declare(CLI::App& app, Options& o) {
  app.add_option("INPUT", o.inputs, "a scenario (.toml), or a shader or module")
      ->type_name("FILE.toml|SHADER")
      ->option_text("SCENARIO|SHADER");
  const char* what = "What to run";
  app.add_option("--scenario", o.scenario, "what to run a shader or module with")
      ->type_name("FILE.toml")
      ->group(what);
  app.add_option("--size", o.size, "take the parameters of [sizes.NAME] of the scenario")
      ->type_name("NAME")
      ->group(what);
  app.add_option("--shader", o.shader, "the scenario's shader that INPUT stands for")
      ->type_name("NAME")
      ->group(what);
  app.add_option("--variant", o.variant, "run this [[variant]] of the scenario")
      ->type_name("NAME")
      ->group(what);
  app.add_option("--seed", o.profile.seed, "seed of random inputs")->type_name("N")->group(what);
  const char* loading = "How to load it";
  app.add_option("-x", o.kind, "kind of INPUT")->type_name("spv|spvasm|glsl|hlsl")->group(loading);
  app.add_option("-I", o.load.includeDirs, "folder to search for #include")
      ->type_name("FOLDER")
      ->allow_extra_args(false)
      ->group(loading);
  app.add_option("-D", o.defines, "define a macro")
      ->type_name("NAME[=VALUE]")
      ->allow_extra_args(false)
      ->group(loading);
  app.add_option("--entry", o.entry, "entry point (without a scenario)")
      ->type_name("NAME")
      ->group(loading);
  app.add_option("--spec-const", o.specConstants, "specialization constant (without a scenario)")
      ->type_name("ID:VALUE")
      ->allow_extra_args(false)
      ->group(loading);
  app.add_option("--workgroup-size", o.workgroupSize,
                 "workgroup size that is not literal (without a scenario)")
      ->type_name("X,Y,Z")
      ->group(loading);
  const char* how = "How to count and report";
  app.add_option("--target", o.target, "GPU to count for: a name, FILE.toml, or device")
      ->type_name("TARGET")
      ->group(how);
  app.add_option("--format", o.format, "form of the report")->type_name("text|json")->group(how);
  app.add_option("--top", o.top, "rows of each table of the text, 0 for all (20)")
      ->type_name("N")
      ->group(how);
  app.add_option("--timeout", o.profile.timeoutSeconds,
                 "seconds after which no further workgroup is run (60)")
      ->type_name("SECONDS")
      ->group(how);
}

Status checkOptions(Options& o) {
  if (o.inputs.size() != 1 || o.inputs[0].empty())
    return failure(fmt::format(
        "profile takes one scenario or shader, not {}; see 'lanewise "
        "profile --help'",
        o.inputs.empty() || o.inputs[0].empty() ? "none" : fmt::format("{}", o.inputs.size())));
  if (o.inputs[0].ends_with(".toml") && o.kind.empty()) {
    if (!o.scenario.empty())
      return failure(
          fmt::format("{} and --scenario={}: give one scenario", o.inputs[0], o.scenario));
    o.scenario = o.inputs[0];
  } else {
    o.input = o.inputs[0];
  }
  if (o.scenario.empty() && !(o.size.empty() && o.shader.empty() && o.variant.empty()))
    return failure("--size, --shader and --variant speak of a scenario; give --scenario=FILE.toml");
  if (!o.hasModule() && !o.shader.empty())
    return failure("--shader says what a module stands for; give the module beside --scenario");
  if (!o.scenario.empty() &&
      (!o.specConstants.empty() || !o.workgroupSize.empty() || !o.entry.empty()))
    return failure("--spec-const, --workgroup-size and --entry stand in the scenario's [[shader]]; "
                   "give them there");
  if (o.format != "text" && o.format != "json")
    return failure(fmt::format("--format={}: it is text or json", o.format));
  if (!(o.profile.timeoutSeconds > 0 && o.profile.timeoutSeconds <= 1e6))
    return failure("--timeout must be above 0 and at most 1000000");
  return parseLoadOptions(o.kind, o.defines, o.load);
}

// What is run.
struct Plan {
  Scenario scenario;
  ProgramVariant variant;
  std::vector<std::string> notes;
};

Status takeVariant(const Options& o, Plan& plan) {
  if (o.variant.empty()) return ok();
  std::vector<std::string> names;
  for (const ScenarioVariant& variant : plan.scenario.variants) {
    if (variant.name == o.variant) {
      plan.variant.dispatches = variant.dispatches;
      if (variant.layout.empty()) return ok();
      Result<LayoutManifest> layouts = readLayoutManifest(variant.layout);
      if (!layouts) return layouts.error();
      plan.variant.layouts = std::move(*layouts);
      return ok();
    }
    names.push_back(variant.name);
  }
  return failure(fmt::format("{}: there is no variant `{}`; its variants are {}",
                             plan.scenario.path, o.variant,
                             names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
}

Result<Plan> planWithScenario(const Options& o) {
  Plan plan;
  Result<Scenario> scenario = readScenario(o.scenario, o.size);
  if (!scenario) return scenario.error();
  plan.scenario = std::move(*scenario);
  plan.variant.name = o.variant.empty() ? "the scenario" : o.variant;
  if (Status taken = takeVariant(o, plan); !taken) return taken.error();
  std::set<std::string> used;
  for (const ScenarioDispatch& dispatch :
       plan.variant.dispatches.empty() ? plan.scenario.dispatches : plan.variant.dispatches)
    used.insert(dispatch.shader);
  const ScenarioShader* replaced = nullptr;
  if (o.hasModule()) {
    Result<const ScenarioShader*> found = shaderFor(plan.scenario, o.shader, o.input);
    if (!found) return found.error();
    replaced = *found;
    if (!used.count(replaced->name))
      return failure(fmt::format("{}: {} stands for shader `{}`, which is not dispatched; give "
                                 "--shader=NAME, one of {}",
                                 plan.scenario.path, o.input, replaced->name,
                                 fmt::join(used, ", ")));
  }
  for (const ScenarioShader& shader : plan.scenario.shaders) {
    if (!used.count(shader.name)) continue;
    LoadOptions options = o.load;
    if (&shader != replaced) options.kind.reset(); // -x speaks of the input
    Result<Words> words =
        loadShader(&shader == replaced ? o.input : shader.path, options, &shader, Lines::Keep);
    if (!words) return words.error();
    plan.variant.modules[shader.name] = std::move(*words);
  }
  return plan;
}

Result<Plan> planWithoutScenario(const Options& o) {
  Plan plan;
  Result<Assumptions> assumptions = parseAssumptions(o.specConstants, o.workgroupSize);
  if (!assumptions) return assumptions.error();
  std::string name = o.entry.empty() ? "main" : o.entry;
  LoadOptions options = o.load;
  options.entry = o.entry;
  Result<Words> words = loadShader(o.input, options, nullptr, Lines::Keep);
  if (!words) return words.error();
  ShaderPair pair{name, *words, *words};
  Result<Scenario> made = synthesizeScenario({&pair, 1}, *assumptions, o.profile.seed, plan.notes);
  if (!made)
    return failure(fmt::format("{}: no inputs could be generated: {}; give --scenario=FILE.toml",
                               o.input, made.error().str()));
  plan.scenario = std::move(*made);
  plan.variant.name = o.input;
  plan.variant.modules[name] = std::move(*words);
  return plan;
}

int run(Options& o) {
  Result<TargetProfile> target = o.target == "device" ? loadDeviceTarget("") : loadTarget(o.target);
  if (!target)
    return fail(o.target == "device" ? kNoDevice : kBadUsageOrInput, target.error().str());
  Result<Plan> plan = o.scenario.empty() ? planWithoutScenario(o) : planWithScenario(o);
  if (!plan) return fail(kBadUsageOrInput, plan.error().str());
  auto inScenario = [&](const Error& error) {
    return fmt::format("{}: {}", o.scenario.empty() ? o.input : o.scenario, error.str());
  };
  Result<Marshalling> marshalling = marshal(plan->scenario, {&plan->variant, 1});
  if (!marshalling) return fail(kBadUsageOrInput, inScenario(marshalling.error()));
  Result<Program> program =
      bindProgram(marshalling->scenario, marshalling->programs[0], plan->notes);
  if (!program) return fail(kBadUsageOrInput, inScenario(program.error()));
  o.profile.target = std::move(*target);
  Result<Profile> profile =
      profileProgram(marshalling->scenario, *program, o.profile, marshalling->packed);
  if (!profile) return fail(kBadUsageOrInput, inScenario(profile.error()));
  if (!profile->incomplete.empty())
    plan->notes.insert(plan->notes.begin(), "incomplete: " + profile->incomplete);
  if (o.format == "json") {
    printOut("{}", profileToJson(*profile, o.profile.target, plan->notes));
    return kDone;
  }
  printOut("{}", formatProfile(*profile, o.profile.target, o.top));
  for (const std::string& note : plan->notes) printOut("note: {}\n", note);
  return kDone;
}

} // namespace

std::vector<CommandDescription> describeProfile() {
  Options options;
  CLI::App app(kAbout, kName);
  declare(app, options);
  return {describe(
      app,
      {{"Count for the generic target what a scenario does.", "lanewise profile scenario.toml"},
       {"Count for one GPU what a module does in the place of the scenario's shader.",
        "lanewise profile --scenario=scenario.toml --target=nvidia tile.spv"}})};
}

int profileCommand(std::span<char*> args) {
  Options options;
  CLI::App app(kAbout, kName);
  declare(app, options);
  Result<bool> wantsHelp = parseArguments(app, args, "profile");
  if (!wantsHelp) return fail(kBadUsageOrInput, wantsHelp.error().message);
  if (*wantsHelp) {
    printOut("{}", app.help());
    return kDone;
  }
  Status checked = checkOptions(options);
  if (!checked) return fail(kBadUsageOrInput, checked.error().message);
  return run(options);
}

} // namespace lanewise::driver
