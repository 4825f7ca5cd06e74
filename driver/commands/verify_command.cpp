// `lanewise verify`: dispatches an original and what was made of it on the same inputs, compares,
// times.
#include "commands/commands.h"
#include "input/workload.h"
#include "layout/layout_manifest.h"
#include "options/assume_option.h"
#include "options/option_groups.h"
#include "report/html/report_subjects.h"
#include "report/report.h"
#include "spirv/assembly.h"
#include "support/failure.h"
#include "support/files.h"
#include "support/isolate.h"
#include "support/print.h"
#include "support/progress_line.h"
#include "support/terminal.h"
#include "verify/compare/source_texts.h"
#include "verify/interpreter/interpreter_runner.h"
#include "verify/queue_check/queue_check.h"
#include "verify/verify.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>

namespace lanewise::driver {
namespace {

namespace fs = std::filesystem;

struct VerifyArguments {
  /// The original, then what is compared with it. None, or folders only: the original is the
  /// scenario itself.
  std::vector<std::string> inputs;
  std::vector<std::string> labels;
  ScenarioChoice scenario;
  std::string json, html, layoutManifest;
  LoadOptions load;
  GivenConstants constants;
  Assumptions assumptions;
  VerifyOptions verify;
  IsolationLimits isolation;
  bool requiresVerified = false;
  std::string shown; ///< the command as the page shows it

  bool comparesScenario() const { return inputs.empty() || isFolder(inputs[0]); }
};

Status checkReportFiles(const VerifyArguments& o) {
  if (o.html == "-")
    return failure("--html needs a file; the report as text goes to standard output");
  std::vector<std::string> others = o.inputs;
  others.insert(others.end(), {o.scenario.path, o.layoutManifest});
  if (Status s = checkDestination(o.json, others); !s) return s;
  others.push_back(o.json);
  return checkDestination(o.html, others);
}

/// A folder stands for what `opt --scenario` made of a whole program.
Result<bool> areFolders(const CommandLine& line, const VerifyArguments& o) {
  const auto folders = std::count_if(o.inputs.begin(), o.inputs.end(), isFolder);
  if (folders == 0) return false;
  if (size_t(folders) != o.inputs.size())
    return failure(
        "a folder stands for a whole program, the original of which is the scenario: give "
        "folders only, or modules only");
  if (!o.scenario.isGiven())
    return failure(fmt::format("{}: a folder of shaders needs --scenario=FILE.toml", o.inputs[0]));
  if (!o.scenario.shader.empty() || line.isGiven("-x"))
    return failure("--shader and -x speak of single modules, not of folders");
  return true;
}

/// A scenario alone, as `profile` takes it.
Status takeScenario(const CommandLine& line, VerifyArguments& o) {
  if (o.inputs.size() == 1 && o.inputs[0].ends_with(".toml") && !line.isGiven("-x")) {
    if (o.scenario.isGiven())
      return failure(
          fmt::format("{} and --scenario={}: give one scenario", o.inputs[0], o.scenario.path));
    o.scenario.path = std::move(o.inputs[0]);
    o.inputs.clear();
  }
  if (o.inputs.empty() && !o.scenario.shader.empty())
    return failure("--shader needs modules that stand for it; give ORIGINAL and TRANSFORMED");
  if (o.inputs.empty() && !o.layoutManifest.empty())
    return failure("--layout-manifest needs TRANSFORMED; a [[variant]] has a 'layout' of its own");
  return ok();
}

Status checkOptions(const CommandLine& line, VerifyArguments& o) {
  if (Status s = takeScenario(line, o); !s) return s;
  Result<bool> folders = areFolders(line, o);
  if (!folders) return folders.error();
  std::error_code ignored;
  if (o.inputs.size() == 1 && o.inputs[0] != "-" && !std::filesystem::exists(o.inputs[0], ignored))
    return failure(fmt::format("{}: cannot open: No such file or directory", o.inputs[0]));
  if (o.inputs.size() < 2 && !*folders && (o.inputs.size() == 1 || !o.scenario.isGiven()))
    return failure(
        o.inputs.empty()
            ? "verify needs ORIGINAL and TRANSFORMED, or a scenario; see 'lanewise verify --help'"
            : fmt::format("verify needs a second module to compare {0} with; 'lanewise verify {0} "
                          "{0}' checks it alone",
                          o.inputs[0]));
  if (std::count(o.inputs.begin(), o.inputs.end(), "-") > 1)
    return failure("only one module can come from standard input");
  const size_t programs = o.inputs.size() + (o.comparesScenario() ? 1 : 0);
  if (o.labels.size() > programs)
    return failure(fmt::format("{} --label options for {} programs", o.labels.size(), programs));
  if (o.verify.repeats < 1 || o.verify.repeats > 100000)
    return failure("--repeats must lie between 1 and 100000");
  if (std::count(o.inputs.begin(), o.inputs.end(), ""))
    return failure("the name of an input is empty");
  return checkReportFiles(o);
}

// What a source was compiled to names its lines for the interpreter's findings and the page only.
Lines linesFor(const VerifyArguments& o) {
  if (!o.html.empty()) return Lines::Keep;
  bool isInterpreted =
      o.verify.device == kInterpreterName || o.verify.interpreter.checksBesideDevice;
  return isInterpreted ? Lines::Keep : Lines::Strip;
}
// `programs` are what is named by default: the inputs, behind the scenario where they are folders.
std::vector<std::string> rowNames(const VerifyArguments& o, std::vector<std::string> programs) {
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

Result<LayoutManifest> layoutsOf(const std::string& manifest) {
  if (manifest.empty()) return LayoutManifest();
  keepFile(manifest);
  return readLayoutManifest(manifest);
}

Status addVariants(Workload& work) {
  for (const ScenarioVariant& variant : work.scenario.variants) {
    ProgramVariant program{variant.name, work.programs[0].modules, variant.dispatches,
                           variant.compare};
    program.submitEvery = variant.submitEvery;
    Result<LayoutManifest> layouts = layoutsOf(variant);
    if (!layouts) return layouts.error();
    program.layouts = std::move(*layouts);
    work.programs.push_back(std::move(program));
  }
  // What the queues are measured against, and must agree with.
  if (work.scenario.queues) {
    ProgramVariant program{"on one queue", work.programs[0].modules, {}, true};
    program.layouts = work.programs[0].layouts;
    program.isOnOneQueue = true;
    work.programs.push_back(std::move(program));
  }
  return ok();
}

Result<Workload> workloadOfScenario(const VerifyArguments& o) {
  Result<ScenarioShaders> shaders = ScenarioShaders::read(o.scenario, o.load);
  if (!shaders) return shaders.error();
  Result<const ScenarioShader*> replaced = shaders->standsFor(o.inputs[0]);
  if (!replaced) return replaced.error();
  Result<LayoutManifest> layouts = layoutsOf(o.layoutManifest);
  if (!layouts) return layouts.error();
  Workload work;
  work.scenario = shaders->scenario();
  work.scenario.stated = o.assumptions.stated;
  work.scenario.statedOf = {(*replaced)->name};
  std::map<std::string, Words> others;
  for (const ScenarioShader& shader : shaders->scenario().shaders) {
    if (&shader == *replaced) continue;
    Result<LoadedModule> module = shaders->load(shader);
    if (!module) return module.error();
    others[shader.name] = wordsOf(std::move(*module), linesFor(o));
  }
  std::vector<std::string> names = rowNames(o, stemsOf(o.inputs));
  for (size_t i = 0; i < o.inputs.size(); ++i) {
    Result<LoadedModule> module = shaders->loadStandIn(**replaced, o.inputs[i]);
    if (!module) return module.error();
    ProgramVariant program{names[i], others, {}, true};
    program.modules[(*replaced)->name] = wordsOf(std::move(*module), linesFor(o));
    if (i != 0) program.layouts = *layouts;
    work.programs.push_back(std::move(program));
  }
  if (Status s = addVariants(work); !s) return s.error();
  return work;
}

/// The original is the scenario itself; each folder holds all shaders that its dispatches use.
/// Without a folder, its variants are compared with it.
Result<Workload> workloadOfPrograms(const VerifyArguments& o) {
  Result<ScenarioShaders> shaders = ScenarioShaders::read(o.scenario, o.load);
  if (!shaders) return shaders.error();
  Workload work;
  work.scenario = shaders->scenario();
  work.scenario.stated = o.assumptions.stated;
  std::vector<std::string> programs = stemsOf(o.inputs);
  for (size_t i = 0; i < programs.size(); ++i) // "out/" has no stem
    if (programs[i].empty()) programs[i] = fs::path(o.inputs[i]).parent_path().stem().string();
  programs.insert(programs.begin(), "original");
  std::vector<std::string> names = rowNames(o, std::move(programs));
  work.programs.push_back({names[0], {}, {}, true});
  for (const ScenarioShader& shader : shaders->scenario().shaders) {
    Result<LoadedModule> module = shaders->load(shader);
    if (!module) return module.error();
    work.programs[0].modules[shader.name] = wordsOf(std::move(*module), linesFor(o));
  }
  for (size_t i = 0; i < o.inputs.size(); ++i) {
    ProgramVariant program{names[i + 1], work.programs[0].modules, {}, true};
    for (const ScenarioShader* shader : shaders->used()) {
      Result<std::string> path = shaders->pathIn(o.inputs[i], *shader);
      if (!path) return path.error();
      keepFile(*path);
      Result<LoadedModule> module = shaders->loadStandIn(*shader, *path);
      if (!module) return module.error();
      program.modules[shader->name] = wordsOf(std::move(*module), linesFor(o));
    }
    Result<LayoutManifest> layouts =
        layoutsOf(o.layoutManifest.empty() ? manifestIn(o.inputs[i]) : o.layoutManifest);
    if (!layouts) return layouts.error();
    program.layouts = std::move(*layouts);
    work.programs.push_back(std::move(program));
  }
  if (Status s = addVariants(work); !s) return s.error();
  if (work.programs.size() == 1)
    return failure(fmt::format(
        "{0}: there is no [[variant]] to compare with; give ORIGINAL and TRANSFORMED, or a FOLDER "
        "that 'lanewise opt --scenario={0} -o FOLDER' wrote",
        o.scenario.path));
  return work;
}

Result<Workload> workloadOfModules(const VerifyArguments& o) {
  Result<LayoutManifest> layouts = layoutsOf(o.layoutManifest);
  if (!layouts) return layouts.error();
  const std::string name = o.load.entry.empty() ? "main" : o.load.entry;
  std::vector<std::string> names = rowNames(o, stemsOf(o.inputs));
  Workload work;
  ConstantUse use(o.constants);
  std::optional<Assumptions> given; // by the types of the original
  for (size_t i = 0; i < o.inputs.size(); ++i) {
    Result<LoadedModule> module = loadModule(o.inputs[i], o.load);
    if (!module) return module.error();
    Result<Assumptions> its = use.assumptionsFor(*module->read, o.assumptions);
    if (!its) return failure(fmt::format("{}: {}", o.inputs[i], its.error().message));
    if (!given) given = std::move(*its);
    ProgramVariant program{names[i], {}, {}, true};
    program.modules[name] = wordsOf(std::move(*module), linesFor(o));
    if (i != 0) program.layouts = *layouts;
    work.programs.push_back(std::move(program));
  }
  warnOf(use.unused());
  // Buffers are generated as the host has them.
  const size_t second = layouts->buffers.empty() ? 1 : 0;
  const ShaderPair pair{name, work.programs[0].modules[name], work.programs[second].modules[name]};
  const bool isInterpreted = o.verify.device == kInterpreterName;
  Result<Scenario> made =
      generateScenario(pair, *given, o.verify.seed, work.notes,
                       isInterpreted ? SynthesisLimits::forInterpreter() : SynthesisLimits());
  if (made)
    work.scenario = std::move(*made);
  else
    work.notRunnable = made.error().message;
  return work;
}

// ----- the page -----

bool isSourceFile(const VerifyArguments& o, const std::string& path) {
  const std::string extension = fs::path(path).extension().string();
  return !o.load.kind && path != "-" && extension != ".spv" && extension != ".spvasm";
}

// Of the sources where that is what was given, else of what they were compiled to.
void addDiffs(ReportSubject& subject, const VerifyArguments& o, const Workload& work) {
  constexpr uint32_t kMostLines = 1500;
  const std::vector<ProgramVariant>& programs = work.programs;
  for (size_t p = 1; p < programs.size(); ++p) {
    const std::string names = fmt::format("{} \xE2\x86\x92 {}", programs[0].name, programs[p].name);
    if (!o.comparesScenario() && p < o.inputs.size() && isSourceFile(o, o.inputs[0]) &&
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

std::string pageOf(const VerifyArguments& o, const Workload& work, const VerifyReport& report) {
  ReportPage page;
  page.command = "verify";
  std::vector<std::string> names;
  for (const ProgramVariant& program : work.programs) names.push_back(program.name);
  page.title =
      fmt::format("{} against {}", names[0],
                  fmt::join(names.begin() + 1,
                            names.begin() + std::min<ptrdiff_t>(4, ptrdiff_t(names.size())), ", "));
  if (names.size() > 4) page.title += fmt::format(" and {} more", names.size() - 4);
  page.facts = {{"command", o.shown}};
  if (o.scenario.isGiven()) page.facts.push_back({"scenario", o.scenario.path});
  page.facts.push_back({"seed", std::to_string(o.verify.seed)});
  for (ReportFact& fact : versionFacts()) page.facts.push_back(std::move(fact));
  ReportSubject subject;
  subject.name = page.title;
  subject.isComparison = true;
  setVerification(subject, report);
  std::vector<Words> modules;
  for (const ProgramVariant& program : work.programs)
    for (const auto& [name, words] : program.modules) modules.push_back(words);
  addSources(subject, modules, SubjectDetail().mostSourceLines);
  addDiffs(subject, o, work);
  std::vector<std::string> files = o.inputs;
  files.insert(files.end(), {o.scenario.path, o.layoutManifest});
  addSubjects(page, {std::move(subject)}, files);
  return htmlReport(page);
}

Status writeReports(const VerifyArguments& o, const Workload& work, const VerifyReport& report) {
  OutputFiles files;
  if (!o.json.empty()) files.add(o.json, reportToJson(report));
  if (!o.html.empty()) files.add(o.html, pageOf(o, work, report));
  return files.commit();
}

SourceTexts sourcesOf(const Workload& work) {
  SourceTexts texts;
  for (const ProgramVariant& program : work.programs)
    for (const auto& [name, words] : program.modules)
      if (Result<Module> module = Module::read(words)) texts.add(*module);
  return texts;
}

int exitCodeOf(const VerifyReport& report, bool requiresVerified) {
  if (report.state == VerifyState::Differs || report.state == VerifyState::OriginalUnsound)
    return kFoundSomething;
  return requiresVerified && !report.isVerified() ? kFoundSomething : kDone;
}

// Outputs that agree say little of queues: what may overlap does so by luck. A wait orders more
// than a run shows, and what the graph finds is told beside it.
// Returns what is found, one sentence.
std::string hazardsOf(const VerifyArguments& o, Workload& work) {
  constexpr uint64_t kMostBytes = uint64_t(64) << 20;
  if (!work.scenario.queues || !o.verify.interpreter.checksBesideDevice) return {};
  uint64_t bytes = 0;
  for (const ScenarioBuffer& buffer : work.scenario.buffers) bytes += buffer.bytes();
  const std::string how = fmt::format("'lanewise lint {}'", o.scenario.path);
  if (bytes > kMostBytes) {
    work.notes.push_back(fmt::format("queues not checked for hazards: the buffers take {} MiB; {} "
                                     "with a smaller size does",
                                     (bytes >> 20) + 1, how));
    return {};
  }
  QueueCheckOptions options;
  options.seed = o.verify.seed;
  options.timeoutSeconds = o.verify.interpreter.budgetSeconds;
  const Result<QueueCheckReport> checked = checkQueues(work.scenario, work.programs[0], options);
  if (!checked || checked->errors() == 0) return {};
  const auto first = std::find_if(
      checked->findings.begin(), checked->findings.end(), [](const QueueFinding& found) {
        return found.rule != QueueRule::RedundantWait && !found.isPossible;
      });
  return fmt::format("{} on the queues, which a run shows by luck; {} says more: line {}: {}",
                     checked->errors() == 1 ? "1 hazard"
                                            : fmt::format("{} hazards", checked->errors()),
                     how, first->at.line, first->message);
}

int verify(const VerifyArguments& o) {
  setDefaultIsolation(o.isolation);
  ProgressLine progress(o.json != "-");
  ProgressLine::tell(ProgressLine::Level::Task,
                     o.inputs.empty() ? o.scenario.path : o.inputs.back());
  Result<Workload> work = !o.scenario.isGiven()  ? workloadOfModules(o)
                          : o.comparesScenario() ? workloadOfPrograms(o)
                                                 : workloadOfScenario(o);
  if (!work) return fail(work.error().str());
  const std::string hazards = hazardsOf(o, *work);
  Result<std::unique_ptr<Verifier>> verifier = Verifier::create(o.verify);
  if (!verifier) return fail(verifier.error().message, kNoDevice);
  VerifyReport report;
  if (work->notRunnable.empty()) {
    Result<VerifyReport> verified = (*verifier)->verifyPrograms(work->scenario, work->programs);
    if (!verified) return fail(verified.error().str());
    report = std::move(*verified);
  } else {
    report.reason = work->notRunnable;
  }
  report.hazards = hazards;
  report.notes.insert(report.notes.begin(), work->notes.begin(), work->notes.end());
  Status written = writeReports(o, *work, report);
  if (!written) return fail(written.error().message);
  if (o.json != "-") {
    SourceTexts texts = sourcesOf(*work);
    printDiagnostics(stdout, formatReport(report, &texts, terminalWidth(stdout)));
  }
  return exitCodeOf(report, o.requiresVerified);
}

class VerifyCommand : public Command {
public:
  void declare(CommandLine& line) override {
    line.about(
        "Dispatches ORIGINAL and each TRANSFORMED on the same inputs on the same device, compares "
        "what they write, and times them side by side.\n"
        "Exit codes: 0 equal (or not comparable, without --require-verified); 1 bad usage or "
        "input; 2 outputs differ, or ORIGINAL disagrees with itself; 3 no usable device.");
    line.example("Compare and time two modules with generated inputs.",
                 "lanewise verify original.spv optimized.spv");
    line.example(
        "Compare with the inputs of a scenario, on the CPU device, and keep the figures.",
        "lanewise verify --scenario=scenario.toml --device=cpu --json=report.json tile.comp "
        "tile.spv");
    line.example("Compare and time the variants of a scenario.", "lanewise verify scenario.toml");
    line.example("Look for races and undefined behavior in one module.",
                 "lanewise verify --require-sound --device=interpreter tile.spv tile.spv");
    line.positionals("ORIGINAL TRANSFORMED... | FOLDER... | SCENARIO", "FILE.toml|SHADER|FOLDER",
                     o_.inputs,
                     "the original, then one or more modules or shaders to compare with it; or a "
                     "scenario (.toml), to compare its variants with its own dispatches")
        .firstOnly();
    line.check([this, &line] { return checkOptions(line, o_); });
    line.group("What to run");
    addScenarioOptions(line, o_.scenario, "shaders, buffers, dispatches");
    addShaderOption(line, o_.scenario);
    line.each("--label", "NAME", o_.labels,
              "name of ORIGINAL, then of each TRANSFORMED, in the report");
    line.value("--layout-manifest", "FILE.json", o_.layoutManifest,
               "buffer layouts of TRANSFORMED, as opt --aos-to-soa wrote them (default with "
               "FOLDER: its layout.json)");
    line.group("How to load it");
    addSourceOptions(line, o_.load, "entry point (without a scenario)");
    addAssumptionOptions(line, o_.assumptions, o_.constants);
    addAssumeOption(line, o_.assumptions,
                    "what TRANSFORMED was optimized for: inputs must agree with it");
    refuseBesideScenario(line, o_.scenario);
    line.group("How to run and report");
    addDeviceOptions(line, o_.verify);
    addIsolationOptions(line, o_.isolation);
    addTimingOption(line, o_.verify);
    line.value("--repeats", "N", o_.verify.repeats, "interleaved rounds of timing");
    line.value("--json", "FILE.json", o_.json, "write the report as JSON (- for standard output)")
        .output();
    line.value("--html", "FILE.html", o_.html,
               "write the report as one HTML page, with the times drawn")
        .output();
    addRequirementOptions(line, o_.requiresVerified, o_.verify.requiresCoverage,
                          "exit with 2 if the outputs could not be compared");
    line.flag(
        "--require-sound", o_.verify.requiresSound,
        "exit with 2 if ORIGINAL races or does what is undefined, whatever it leaves; implies "
        "--require-verified");
    line.check([this] {
      o_.requiresVerified = o_.requiresVerified || o_.verify.requiresSound;
      return ok();
    });
  }

  int run(const CommandLine& line) override {
    o_.shown = line.shown();
    return verify(o_);
  }

private:
  VerifyArguments o_;
};

} // namespace

std::unique_ptr<Command> makeVerifyCommand() {
  return std::make_unique<VerifyCommand>();
}

} // namespace lanewise::driver
