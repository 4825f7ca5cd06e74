// `lanewise verify`: dispatches an original and what was made of it on the same inputs, compares,
// times.
#include "commands/commands.h"
#include "input/front_end.h"
#include "input/scenario_inputs.h"
#include "layout/layout_manifest.h"
#include "options/option_values.h"
#include "report/html/report_subjects.h"
#include "report/report.h"
#include "support/failure.h"
#include "support/files.h"
#include "support/isolate.h"
#include "support/print.h"
#include "verify/inputs/synthesize.h"
#include "verify/interpreter/interpreter_runner.h"
#include "verify/verify.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>

namespace lanewise::driver {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> inputs; ///< the original, then what is compared with it
  std::vector<std::string> labels;
  std::string scenario, size, shader, json, html, kind, entry, workgroupSize, layoutManifest;
  std::vector<std::string> defines, specConstants;
  LoadOptions load;
  VerifyOptions verify;
  IsolationOptions isolation;
  bool requiresVerified = false;
  std::string shown; ///< the command as the page shows it
};

int fail(int code, std::string_view message) {
  printError("lanewise: {}\n", message);
  return code;
}

constexpr const char* kName = "lanewise verify";
constexpr const char* kAbout =
    "Dispatches ORIGINAL and each TRANSFORMED on the same inputs on the same device, compares what "
    "they write, and times them side by side.\n"
    "Exit codes: 0 equal (or not comparable, without --require-verified); 1 bad usage or input; "
    "2 outputs differ, or ORIGINAL disagrees with itself; 3 no usable device.";

void declare(CLI::App& app, Options& o) {
  app.add_option("INPUT", o.inputs,
                 "the original, then one or more modules or shaders to compare with it")
      ->type_name("SHADER|FOLDER")
      ->option_text("ORIGINAL TRANSFORMED... | FOLDER...");
  const char* what = "What to run";
  app.add_option("--scenario", o.scenario, "shaders, buffers, dispatches")
      ->type_name("FILE.toml")
      ->group(what);
  app.add_option("--size", o.size, "take the parameters of [sizes.NAME] of the scenario")
      ->type_name("NAME")
      ->group(what);
  app.add_option("--shader", o.shader,
                 "the scenario's shader that ORIGINAL and TRANSFORMED stand for")
      ->type_name("NAME")
      ->group(what);
  app.add_option("--label", o.labels, "name of ORIGINAL, then of each TRANSFORMED, in the report")
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->group(what);
  app.add_option("--layout-manifest", o.layoutManifest,
                 "how TRANSFORMED sees the buffers that --aos-to-soa laid out anew; of a FOLDER by "
                 "default its layout.json")
      ->type_name("FILE.json")
      ->group(what);
  app.add_option("--seed", o.verify.seed, "seed of random inputs")->type_name("N")->group(what);
  const char* loading = "How to load it";
  declareSourceOptions(app, loading, {o.kind, o.load.includeDirs, o.defines, o.entry},
                       "entry point (without a scenario)");
  app.add_option("--spec-const", o.specConstants, "specialization constant (without a scenario)")
      ->type_name("ID:VALUE")
      ->allow_extra_args(false)
      ->group(loading);
  app.add_option("--workgroup-size", o.workgroupSize,
                 "workgroup size that is not literal (without a scenario)")
      ->type_name("X,Y,Z")
      ->group(loading);
  const char* how = "How to run and report";
  declareDeviceOptions(app, how, o.verify);
  declareIsolationOptions(app, how, o.isolation);
  app.add_flag("!--no-timing", o.verify.timing, "compare only")->group(how);
  app.add_option("--repeats", o.verify.repeats, "interleaved rounds of timing")
      ->type_name("N")
      ->group(how);
  app.add_option("--json", o.json, "write the report as JSON (- for standard output)")
      ->type_name("FILE.json")
      ->group(how);
  app.add_option("--html", o.html, "write the report as one HTML page, with the times drawn")
      ->type_name("FILE.html")
      ->group(how);
  app.add_flag("--require-verified", o.requiresVerified,
               "exit with 2 where the outputs could not be compared")
      ->group(how);
  declareCoverageOption(app, how, o.verify.requiresCoverage);
}

Status checkReportFile(const Options& o, const std::string& file) {
  if (file.empty() || file == "-") return ok();
  for (const std::string& path : o.inputs)
    if (isSameFile(path, file)) return failure(file + ": it is an input and would be overwritten");
  if (!o.scenario.empty() && isSameFile(o.scenario, file))
    return failure(file + ": it is the scenario and would be overwritten");
  if (!o.layoutManifest.empty() && isSameFile(o.layoutManifest, file))
    return failure(file + ": it is the layout manifest and would be overwritten");
  if (Status s = checkWritable(file); !s) return failure(file + ": " + s.error().message);
  return ok();
}

Status checkReportFiles(const Options& o) {
  if (o.html == "-")
    return failure("--html needs a file; the report as text goes to standard output");
  if (!o.html.empty() && !o.json.empty() && isSameFile(o.html, o.json))
    return failure(o.html + ": --json and --html would both be written to it");
  if (Status json = checkReportFile(o, o.json); !json) return json;
  return checkReportFile(o, o.html);
}

/// A folder stands for what `opt --scenario` made of a whole program.
Result<bool> areFolders(const Options& o) {
  const auto folders = std::count_if(o.inputs.begin(), o.inputs.end(), isFolder);
  if (folders == 0) return false;
  if (size_t(folders) != o.inputs.size())
    return failure(
        "a folder stands for a whole program, the original of which is the scenario: give "
        "folders only, or modules only");
  if (o.scenario.empty())
    return failure(fmt::format("{}: a folder stands for the shaders of a scenario; give "
                               "--scenario=FILE.toml",
                               o.inputs[0]));
  if (!o.shader.empty() || !o.kind.empty())
    return failure("--shader and -x speak of single modules, not of folders");
  return true;
}

Status checkOptions(Options& o) {
  Result<bool> folders = areFolders(o);
  if (!folders) return folders.error();
  if (o.inputs.size() < 2 && !*folders)
    return failure(
        "verify needs ORIGINAL and TRANSFORMED, or --scenario and a folder; see 'lanewise "
        "verify --help'");
  if (std::count(o.inputs.begin(), o.inputs.end(), "-") > 1)
    return failure("standard input can stand for one module only");
  const size_t programs = o.inputs.size() + (*folders ? 1 : 0);
  if (o.labels.size() > programs)
    return failure(fmt::format("{} --label for {} programs", o.labels.size(), programs));
  if (o.verify.repeats < 1 || o.verify.repeats > 100000)
    return failure("--repeats must lie between 1 and 100000");
  if (!(o.verify.timeoutSeconds > 0 && o.verify.timeoutSeconds <= 1e6))
    return failure("--timeout must be above 0 and at most 1000000");
  if (Status s = checkInterpreterOptions(o.verify.interpreter); !s) return s;
  Result<IsolationLimits> isolation = isolationLimitsOf(o.isolation);
  if (!isolation) return isolation.error();
  setDefaultIsolation(*isolation);
  if (o.scenario.empty() && (!o.size.empty() || !o.shader.empty()))
    return failure("--size and --shader speak of a scenario; give --scenario=FILE.toml");
  if (!o.scenario.empty() &&
      (!o.specConstants.empty() || !o.workgroupSize.empty() || !o.entry.empty()))
    return failure("--spec-const, --workgroup-size and --entry stand in the scenario's [[shader]]; "
                   "give them there");
  if (Status parsed = parseLoadOptions(o.kind, o.defines, o.load); !parsed) return parsed;
  if (std::count(o.inputs.begin(), o.inputs.end(), ""))
    return failure("the name of an input is empty");
  return checkReportFiles(o);
}

// What a source was compiled to names its lines for the interpreter's findings and the page only.
Lines linesFor(const Options& o) {
  if (!o.html.empty()) return Lines::Keep;
  bool isInterpreted =
      o.verify.device == kInterpreterName || o.verify.interpreter.checksBesideDevice;
  return isInterpreted ? Lines::Keep : Lines::Strip;
}
// `programs` are what is named by default: the inputs, behind the scenario where they are folders.
std::vector<std::string> rowNames(const Options& o, std::vector<std::string> programs) {
  std::vector<std::string> names = o.labels;
  for (size_t i = names.size(); i < programs.size(); ++i) names.push_back(std::move(programs[i]));
  // Two of one name are told apart by their place.
  for (size_t i = 0; i < names.size(); ++i)
    if (auto same = std::count(names.begin(), names.begin() + ptrdiff_t(i), names[i]))
      names[i] += fmt::format(" ({})", same + 1);
  return names;
}
std::vector<std::string> stemsOf(const std::vector<std::string>& inputs) {
  std::vector<std::string> stems;
  for (const std::string& input : inputs)
    stems.push_back(input == "-" ? "standard input" : fs::path(input).stem().string());
  return stems;
}

// What is run: a scenario and the programs beside one another.
struct Plan {
  Scenario scenario;
  std::vector<ProgramVariant> programs;
  std::vector<std::string> notes;
  std::string notRunnable; ///< why no inputs could be generated
};

Result<LayoutManifest> layoutsOf(const Options& o) {
  if (o.layoutManifest.empty()) return LayoutManifest();
  return readLayoutManifest(o.layoutManifest);
}

Result<Words> loadAsDescribed(const ScenarioShader& shader, const Options& o) {
  LoadOptions options = o.load;
  options.kind.reset(); // -x speaks of the inputs
  return loadShader(shader.path, options, &shader, linesFor(o));
}

Status addVariants(Plan& plan) {
  for (const ScenarioVariant& variant : plan.scenario.variants) {
    ProgramVariant program{variant.name, plan.programs[0].modules, variant.dispatches,
                           variant.compare};
    program.submitEvery = variant.submitEvery;
    if (!variant.layout.empty()) {
      Result<LayoutManifest> layouts = readLayoutManifest(variant.layout);
      if (!layouts) return layouts.error();
      program.layouts = std::move(*layouts);
    }
    plan.programs.push_back(std::move(program));
  }
  return ok();
}

Result<Plan> planWithScenario(const Options& o) {
  Plan plan;
  Result<Scenario> scenario = readScenario(o.scenario, o.size);
  if (!scenario) return scenario.error();
  plan.scenario = std::move(*scenario);
  Result<const ScenarioShader*> replaced = shaderFor(plan.scenario, o.shader, o.inputs[0]);
  if (!replaced) return replaced.error();
  Result<LayoutManifest> layouts = layoutsOf(o);
  if (!layouts) return layouts.error();
  std::map<std::string, Words> others;
  for (const ScenarioShader& shader : plan.scenario.shaders) {
    if (&shader == *replaced) continue;
    Result<Words> words = loadAsDescribed(shader, o);
    if (!words) return words.error();
    others[shader.name] = std::move(*words);
  }
  std::vector<std::string> names = rowNames(o, stemsOf(o.inputs));
  for (size_t i = 0; i < o.inputs.size(); ++i) {
    Result<Words> words = loadShader(o.inputs[i], o.load, *replaced, linesFor(o));
    if (!words) return words.error();
    ProgramVariant program{names[i], others, {}, true};
    program.modules[(*replaced)->name] = std::move(*words);
    if (i != 0) program.layouts = *layouts;
    plan.programs.push_back(std::move(program));
  }
  if (Status s = addVariants(plan); !s) return s.error();
  return plan;
}

/// What a folder has for a shader.
Result<Words> loadFromFolder(const std::string& folder, const ScenarioShader& shader,
                             const Options& o) {
  ScenarioShader described = shader;
  described.defines.clear(); // of the source
  for (const char* extension : {".spv", ".spvasm"}) {
    const std::string path = (fs::path(folder) / (shader.name + extension)).string();
    std::error_code ignored;
    if (fs::exists(path, ignored)) return loadShader(path, o.load, &described, linesFor(o));
  }
  return failure(
      fmt::format("{}: it has no {}.spv for shader `{}`; write it with opt --scenario={} "
                  "-o {}",
                  folder, shader.name, shader.name, o.scenario, folder));
}

/// The original is the scenario itself; each folder holds all shaders that its dispatches use.
Result<Plan> planOfFolders(const Options& o) {
  Plan plan;
  Result<Scenario> scenario = readScenario(o.scenario, o.size);
  if (!scenario) return scenario.error();
  plan.scenario = std::move(*scenario);
  std::vector<std::string> programs = stemsOf(o.inputs);
  for (size_t i = 0; i < programs.size(); ++i) // "out/" has no stem
    if (programs[i].empty()) programs[i] = fs::path(o.inputs[i]).parent_path().stem().string();
  programs.insert(programs.begin(), "original");
  std::vector<std::string> names = rowNames(o, std::move(programs));
  plan.programs.push_back({names[0], {}, {}, true});
  std::set<std::string> used;
  for (const ScenarioDispatch& dispatch : plan.scenario.dispatches) used.insert(dispatch.shader);
  for (const ScenarioShader& shader : plan.scenario.shaders) {
    Result<Words> words = loadAsDescribed(shader, o);
    if (!words) return words.error();
    plan.programs[0].modules[shader.name] = std::move(*words);
  }
  for (size_t i = 0; i < o.inputs.size(); ++i) {
    ProgramVariant program{names[i + 1], plan.programs[0].modules, {}, true};
    for (const ScenarioShader& shader : plan.scenario.shaders) {
      if (!used.count(shader.name)) continue; // a rival's
      Result<Words> words = loadFromFolder(o.inputs[i], shader, o);
      if (!words) return words.error();
      program.modules[shader.name] = std::move(*words);
    }
    const fs::path own = fs::path(o.inputs[i]) / "layout.json";
    std::error_code ignored;
    const bool hasOwn = o.layoutManifest.empty() && fs::exists(own, ignored);
    Result<LayoutManifest> layouts = hasOwn ? readLayoutManifest(own.string()) : layoutsOf(o);
    if (!layouts) return layouts.error();
    program.layouts = std::move(*layouts);
    plan.programs.push_back(std::move(program));
  }
  if (Status s = addVariants(plan); !s) return s.error();
  return plan;
}

Result<Plan> planWithoutScenario(const Options& o) {
  Plan plan;
  Result<Assumptions> assumptions = parseAssumptions(o.specConstants, o.workgroupSize);
  if (!assumptions) return assumptions.error();
  std::string name = o.entry.empty() ? "main" : o.entry;
  Result<LayoutManifest> layouts = layoutsOf(o);
  if (!layouts) return layouts.error();
  std::vector<std::string> names = rowNames(o, stemsOf(o.inputs));
  LoadOptions options = o.load;
  options.entry = o.entry;
  for (size_t i = 0; i < o.inputs.size(); ++i) {
    Result<Words> words = loadShader(o.inputs[i], options, nullptr, linesFor(o));
    if (!words) return words.error();
    ProgramVariant program{names[i], {}, {}, true};
    program.modules[name] = std::move(*words);
    if (i != 0) program.layouts = *layouts;
    plan.programs.push_back(std::move(program));
  }
  // Buffers are generated as the host has them.
  const size_t second = layouts->buffers.empty() ? 1 : 0;
  ShaderPair pair{name, plan.programs[0].modules[name], plan.programs[second].modules[name]};
  Result<Scenario> made = synthesizeScenario(
      {&pair, 1}, *assumptions, o.verify.seed, plan.notes,
      o.verify.device == kInterpreterName ? SynthesisLimits::forInterpreter() : SynthesisLimits());
  if (made)
    plan.scenario = std::move(*made);
  else
    plan.notRunnable = fmt::format("no inputs could be generated: {}", made.error().str());
  return plan;
}

// ----- the page -----

bool isSourceFile(const Options& o, const std::string& path) {
  const std::string extension = fs::path(path).extension().string();
  return o.kind.empty() && path != "-" && extension != ".spv" && extension != ".spvasm";
}

// Of the sources where that is what was given, else of what they were compiled to.
void addDiffs(ReportSubject& subject, const Options& o, const Plan& plan) {
  constexpr uint32_t kMostLines = 1500;
  const std::vector<ProgramVariant>& programs = plan.programs;
  const bool areFolders = isFolder(o.inputs[0]);
  for (size_t p = 1; p < programs.size(); ++p) {
    const std::string names = fmt::format("{} \xE2\x86\x92 {}", programs[0].name, programs[p].name);
    if (!areFolders && p < o.inputs.size() && isSourceFile(o, o.inputs[0]) &&
        isSourceFile(o, o.inputs[p])) {
      Result<std::string> before = readFile(o.inputs[0]), after = readFile(o.inputs[p]);
      if (before && after)
        addDiff(subject, "source: " + names, *before, *after, o.inputs[0], o.inputs[p], kMostLines);
    }
    for (const auto& [name, words] : programs[p].modules) {
      const auto original = programs[0].modules.find(name);
      if (original == programs[0].modules.end() || original->second == words) continue;
      Result<std::string> before = disassemble(stripLines(original->second), TextHeader::No);
      Result<std::string> after = disassemble(stripLines(words), TextHeader::No);
      if (before && after)
        addDiff(subject, fmt::format("SPIR-V assembly of {}: {}", name, names), *before, *after,
                programs[0].name, programs[p].name, kMostLines);
    }
  }
}

std::string pageOf(const Options& o, const Plan& plan, const VerifyReport& report) {
  ReportPage page;
  page.command = "verify";
  std::vector<std::string> names;
  for (const ProgramVariant& program : plan.programs) names.push_back(program.name);
  page.title =
      fmt::format("{} against {}", names[0],
                  fmt::join(names.begin() + 1,
                            names.begin() + std::min<ptrdiff_t>(4, ptrdiff_t(names.size())), ", "));
  if (names.size() > 4) page.title += fmt::format(" and {} more", names.size() - 4);
  page.facts = {{"command", o.shown}};
  if (!o.scenario.empty()) page.facts.push_back({"scenario", o.scenario});
  page.facts.push_back({"seed", std::to_string(o.verify.seed)});
  for (ReportFact& fact : versionFacts()) page.facts.push_back(std::move(fact));
  ReportSubject subject;
  subject.name = page.title;
  subject.isComparison = true;
  setVerification(subject, report);
  std::vector<Words> modules;
  for (const ProgramVariant& program : plan.programs)
    for (const auto& [name, words] : program.modules) modules.push_back(words);
  addSources(subject, modules, SubjectDetail().mostSourceLines);
  addDiffs(subject, o, plan);
  std::vector<std::string> files = o.inputs;
  files.insert(files.end(), {o.scenario, o.layoutManifest});
  addSubjects(page, {std::move(subject)}, files);
  return htmlReport(page);
}

Status writeReports(const Options& o, const Plan& plan, const VerifyReport& report) {
  OutputFiles files;
  if (!o.json.empty()) files.add(o.json, reportToJson(report));
  if (!o.html.empty()) files.add(o.html, pageOf(o, plan, report));
  return files.commit();
}

int exitCodeOf(const VerifyReport& report, bool requiresVerified) {
  if (report.state == VerifyState::Differs || report.state == VerifyState::OriginalUnsound)
    return kFoundSomething;
  return requiresVerified && !report.isVerified() ? kFoundSomething : kDone;
}

int run(const Options& o) {
  Result<Plan> plan = o.scenario.empty()      ? planWithoutScenario(o)
                      : isFolder(o.inputs[0]) ? planOfFolders(o)
                                              : planWithScenario(o);
  if (!plan) return fail(kBadUsageOrInput, plan.error().str());
  Result<std::unique_ptr<Verifier>> verifier = Verifier::create(o.verify);
  if (!verifier) return fail(kNoDevice, verifier.error().message);
  VerifyReport report;
  if (plan->notRunnable.empty()) {
    Result<VerifyReport> verified = (*verifier)->verifyPrograms(plan->scenario, plan->programs);
    if (!verified) return fail(kBadUsageOrInput, verified.error().str());
    report = std::move(*verified);
  } else {
    report.reason = plan->notRunnable;
  }
  report.notes.insert(report.notes.begin(), plan->notes.begin(), plan->notes.end());
  Status written = writeReports(o, *plan, report);
  if (!written) return fail(kBadUsageOrInput, written.error().message);
  if (o.json != "-") printOut("{}", formatReport(report));
  return exitCodeOf(report, o.requiresVerified || o.verify.requiresCoverage);
}

} // namespace

std::vector<CommandDescription> describeVerify() {
  Options options;
  CLI::App app(kAbout, kName);
  declare(app, options);
  return {describe(
      app, {{"Compare and time two modules with generated inputs.",
             "lanewise verify original.spv optimized.spv"},
            {"Compare with the inputs of a scenario, on the CPU device, and keep the figures.",
             "lanewise verify --scenario=scenario.toml --device=cpu --json=report.json tile.comp "
             "tile.spv"}})};
}

int verifyCommand(std::span<char*> args) {
  Options options;
  CLI::App app(kAbout, kName);
  declare(app, options);
  Result<bool> wantsHelp = parseArguments(app, args, "verify");
  if (!wantsHelp) return fail(kBadUsageOrInput, wantsHelp.error().message);
  if (*wantsHelp) {
    printOut("{}", app.help());
    return kDone;
  }
  options.shown = shownCommand("verify", args, {"--json", "--html"});
  Status checked = checkOptions(options);
  if (!checked) return fail(kBadUsageOrInput, checked.error().message);
  return run(options);
}

} // namespace lanewise::driver
