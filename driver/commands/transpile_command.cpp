// `lanewise transpile`: a module as text of another language, and the text checked against it.
#include "commands/commands.h"
#include "input/workload.h"
#include "layout/layout_manifest.h"
#include "options/option_groups.h"
#include "options/transpile_options.h"
#include "report/report.h"
#include "spirv/assembly.h"
#include "support/depfile.h"
#include "support/failure.h"
#include "support/files.h"
#include "support/isolate.h"
#include "support/print.h"
#include "transpile/prepare.h"
#include "transpile/round_trip.h"
#include "transpile/text_check.h"
#include "verify/program/reflect.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>

namespace lanewise::driver {

namespace {

namespace fs = std::filesystem;

/// One shader on its way.
struct Job {
  std::string path;   ///< of the module or source; "-" for standard input
  std::string output; ///< "" for standard output
  const ScenarioShader* described = nullptr;
  LoadedModule module;
  CrossText text;
  std::map<uint32_t, uint64_t> fixedConstants;
  std::string displayName() const { return path == "-" ? "<stdin>" : path; }
};

std::string_view extensionOf(Language language) {
  switch (language) {
  case Language::Hlsl:
    return ".hlsl";
  case Language::Msl:
    return ".metal";
  case Language::SpvAsm:
    return ".spvasm";
  default:
    return ".comp";
  }
}

/// All shaders are transpiled and checked before anything is written.
class TranspileCommand : public Command {
public:
  void declare(CommandLine& line) override { declareTranspile(line, options_); }

  int run(const CommandLine&) override {
    setDefaultIsolation(options_.isolation);
    for (Status s : {checkDestinations(), readScenarioFile(), listJobs()})
      if (!s) return fail(s.error().message);
    for (Job& job : jobs_)
      if (int code = load(job)) return code;
    for (Job& job : jobs_)
      if (Status s = transpile(job); !s)
        return fail(fmt::format("{}: {}", job.displayName(), s.error().str()));
    if (int code = openDevice()) return code;
    if (Status s = readManifest(); !s) return fail(s.error().message);
    warnOf(use_.unused());
    VerifyReport report;
    if (options_.verify) {
      Result<VerifyReport> verified = verify();
      if (!verified) return fail(verified.error().str());
      report = std::move(*verified);
    }
    return finish(report);
  }

private:
  bool isProgram() const { return isFolder(options_.input); }

  // ---- before anything is read ----

  Status checkDestinations() const {
    std::vector<std::string> others{options_.input, options_.scenario.path,
                                    options_.layoutManifest};
    for (const std::string& path : {isProgram() ? std::string() : options_.output, depfile(),
                                    options_.newManifest, options_.json}) {
      if (Status s = checkDestination(path, others); !s) return s;
      others.push_back(path);
    }
    return ok();
  }

  std::string depfile() const {
    return options_.depfile.isWanted ? options_.depfile.pathFor(options_.output) : std::string();
  }

  Status readScenarioFile() {
    if (!options_.scenario.isGiven()) return ok();
    Result<ScenarioShaders> read = ScenarioShaders::read(options_.scenario, options_.load);
    if (!read) return read.error();
    shaders_ = std::move(*read);
    return ok();
  }
  const Scenario& scenario() const { return shaders_->scenario(); }

  Status listJobs() {
    if (isProgram()) return listProgram();
    Job job;
    job.path = options_.input;
    job.output = options_.output == "-" ? "" : options_.output;
    if (shaders_) {
      Result<const ScenarioShader*> described = shaders_->standsFor(options_.input);
      if (!described) return described.error();
      job.described = *described;
    }
    jobs_.push_back(std::move(job));
    return ok();
  }

  /// What opt --scenario -o wrote into the folder: all shaders that the dispatches use.
  Status listProgram() {
    for (const ScenarioShader* shader : shaders_->used()) {
      Job job;
      job.described = shader;
      Result<std::string> path = shaders_->pathIn(options_.input, *shader);
      if (!path) return path.error();
      job.path = std::move(*path);
      const std::string name = shader->name + std::string(extensionOf(options_.target.language));
      job.output = (fs::path(options_.output) / name).string();
      if (isSameFile(job.path, job.output))
        return failure(fmt::format("{}: it is an input and would be overwritten", job.output));
      jobs_.push_back(std::move(job));
    }
    return ok();
  }

  // ---- steps of one shader ----

  int load(Job& job) const {
    Result<LoadedModule> module = job.described ? shaders_->loadStandIn(*job.described, job.path)
                                                : loadModule(job.path, options_.load);
    if (!module) return fail(module.error().message);
    for (const std::string& warning : module->warnings) printError("{}\n", warning);
    job.module = std::move(*module);
    return kDone;
  }

  Status transpile(Job& job) {
    Result<Assumptions> given = use_.assumptionsFor(*job.module.read, options_.assumptions);
    if (!given) return given.error();
    PrepareRequest prepare{options_.target,   options_.load.entry, std::move(given->specConstants),
                           options_.fixesAll, job.module.env,      options_.load.stage};
    if (prepare.entry.empty() && job.described && job.described->entry != "main")
      prepare.entry = job.described->entry;
    if (job.module.kind == InputKind::Hlsl) prepare.entry.clear(); // the only one that there is
    Result<PreparedModule> prepared = prepareModule(job.module.words(), prepare);
    if (!prepared) return prepared.error();
    job.fixedConstants = std::move(prepared->fixedConstants);
    if (options_.target.language == Language::SpvAsm) {
      Result<std::string> text =
          disassemble(job.module.isSource() ? stripLines(prepared->words) : prepared->words);
      if (!text) return text.error();
      job.text.text = std::move(*text);
      job.text.entry = prepared->entry.name;
      job.text.model = prepared->entry.model;
      job.text.notes = std::move(prepared->notes);
      return ok();
    }
    CrossRequest request{options_.target,      prepared->entry.name,  options_.newName,
                         options_.binds,       prepared->entry.model, prepared->movesLoads,
                         prepared->hasVolatile};
    Result<CrossText> text = crossCompile(prepared->words, request);
    if (!text) return text.error();
    job.text = std::move(*text);
    job.text.notes.insert(job.text.notes.begin(), prepared->notes.begin(), prepared->notes.end());
    if (!options_.isChecked || options_.verify) return ok(); // which compiles it as well
    Result<Module> made = Module::read(std::move(prepared->words));
    if (!made) return made.error();
    return checkText(*made, job.text, options_.target, job.module.env);
  }

  Status readManifest() {
    std::string path = options_.layoutManifest;
    if (path.empty() && isProgram()) path = manifestIn(options_.input);
    if (path.empty()) return ok();
    Result<LayoutManifest> read = readLayoutManifest(path);
    if (!read) return read.error();
    keepFile(path);
    layouts_ = std::move(*read);
    return ok();
  }

  // ---- verification ----

  bool canVerify() const { return options_.verify && options_.target.language != Language::Msl; }
  /// Only compute shaders are: the loader of scenarios takes no others.
  bool isDispatched() const { return jobs_[0].text.model == spv::ExecutionModel::GLCompute; }

  int openDevice() {
    if (!canVerify() || !isDispatched()) return kDone;
    VerifyOptions verify = options_.verification;
    verify.timing = false; // a compiler's detour says nothing of the target's speed
    Result<std::unique_ptr<Verifier>> verifier = Verifier::create(verify);
    if (!verifier) return fail(verifier.error().message, kNoDevice);
    verifier_ = std::move(*verifier);
    return kDone;
  }

  static VerifyReport notRun(std::string reason) {
    VerifyReport report;
    report.reason = std::move(reason);
    return report;
  }

  Result<VerifyReport> verify() {
    if (!canVerify())
      return notRun("MSL cannot be compiled back here; check it with Metal's own compiler");
    if (!isDispatched())
      return verifyByCompiling(shaderOf(jobs_[0], jobs_[0].text.entry), options_.target);
    RoundTrip trip;
    trip.target = options_.target;
    trip.layouts = layouts_;
    if (!shaders_) {
      Result<std::string> why = makeScenario(trip);
      if (!why) return why.error();
      if (!why->empty()) return notRun(*why);
    } else if (Status s = takeScenario(trip); !s) {
      return s.error();
    }
    return verifyRoundTrip(*verifier_, trip);
  }

  static TranspiledShader shaderOf(const Job& job, std::string name) {
    return {std::move(name), job.module.words(), job.text, job.fixedConstants, job.module.env};
  }

  /// Why no inputs could be generated, empty where they could.
  Result<std::string> makeScenario(RoundTrip& trip) {
    const Job& job = jobs_[0];
    Result<Reflection> reflection = reflect(
        job.module.words(), job.module.kind == InputKind::Hlsl ? "" : options_.load.entry, {});
    if (!reflection) return reflection.error();
    Assumptions assumptions = options_.assumptions;
    assumptions.specConstants = job.fixedConstants;
    const ShaderPair pair{reflection->entry, job.module.words(), job.module.words()};
    Result<Scenario> made =
        generateScenario(pair, assumptions, options_.verification.seed, trip.notes);
    if (!made) return made.error().message;
    trip.scenario = std::move(*made);
    trip.shaders.push_back(shaderOf(job, pair.name));
    return std::string();
  }

  Status takeScenario(RoundTrip& trip) {
    trip.scenario = scenario();
    trip.scenario.variants.clear();
    if (Status s = chooseDispatches(trip); !s) return s;
    for (const Job& job : jobs_) trip.shaders.push_back(shaderOf(job, job.described->name));
    for (const ScenarioShader* shader : shadersOf(scenario(), trip.scenario.dispatches)) {
      if (std::any_of(jobs_.begin(), jobs_.end(),
                      [&](const Job& job) { return job.described == shader; }))
        continue;
      if (!layouts_.buffers.empty())
        return failure(fmt::format("{}: its shader `{}` would still use the old layout; give the "
                                   "FOLDER that opt --scenario -o wrote to transpile all of them",
                                   options_.scenario.path, shader->name));
      Result<LoadedModule> module = shaders_->load(*shader);
      if (!module) return module.error();
      trip.others[shader->name] = wordsOf(std::move(*module), Lines::Keep);
    }
    return ok();
  }

  /// A rival's shader stands in dispatches of its own, and may see buffers laid out by hand.
  Status chooseDispatches(RoundTrip& trip) const {
    const std::string& name = jobs_[0].described->name;
    auto runs = [&](const std::vector<ScenarioDispatch>& dispatches) {
      return std::any_of(dispatches.begin(), dispatches.end(),
                         [&](const ScenarioDispatch& d) { return d.shader == name; });
    };
    if (runs(scenario().dispatches)) return ok();
    for (const ScenarioVariant& variant : scenario().variants) {
      if (!runs(variant.dispatches)) continue;
      trip.scenario.dispatches = variant.dispatches;
      if (!trip.layouts.buffers.empty()) return ok();
      Result<LayoutManifest> layouts = layoutsOf(variant);
      if (!layouts) return layouts.error();
      trip.layouts = std::move(*layouts);
      return ok();
    }
    return failure(fmt::format("{}: no dispatch runs shader `{}`", options_.scenario.path, name));
  }

  // ---- the end ----

  int finish(const VerifyReport& report) {
    const bool isWrong = options_.verify && report.state == VerifyState::Differs;
    const bool isVerified = options_.verify && report.isVerified();
    const bool isWritten = !isWrong && (isVerified || !options_.requiresVerified);
    OutputFiles files;
    if (options_.writesIfChanged) files.keepEqualFiles();
    if (isWritten)
      if (Status s = addTexts(files); !s) return fail(s.error().message);
    if (!options_.json.empty()) files.add(options_.json, reportToJson(report));
    // Files first: what is printed must not speak of an output that could not be written.
    if (Status s = files.commit(); !s) return fail(s.error().message);
    for (const Job& job : jobs_)
      for (const TranspileNote& note : job.text.notes)
        printError("{}: note: {} [transpile:{}]\n", job.displayName(), note.text, note.name);
    if (options_.verify) {
      const bool hasReport = report.state != VerifyState::NotRun || !report.device.empty();
      printError("{}: {}{}{}\n", jobs_.size() == 1 ? jobs_[0].displayName() : options_.input,
                 isVerified ? "verified"
                 : isWrong  ? "wrong"
                            : "unverified",
                 isWritten ? "" : ", nothing is written", hasReport ? "" : ": " + report.reason);
      if (hasReport) printError("{}", formatReport(report));
    }
    return isWritten ? kDone : kFoundSomething;
  }

  Status addTexts(OutputFiles& files) {
    if (isProgram())
      if (Status s = makeFolder(options_.output); !s) return s.error();
    std::vector<CrossText> texts;
    for (Job& job : jobs_) {
      texts.push_back(job.text);
      files.add(job.output.empty() ? "-" : job.output, job.text.text);
    }
    if (options_.depfile.isWanted) {
      Result<std::string> text =
          depfileText(jobs_[0].output, filesRead(), options_.depfile.hasPhony);
      if (!text) return text.error();
      files.add(depfile(), std::move(*text));
    }
    std::string manifest = options_.newManifest;
    if (manifest.empty() && isProgram()) manifest = ownManifest();
    if (!manifest.empty())
      files.add(manifest, layoutManifestToJson(atNewBindings(layouts_, texts)));
    return ok();
  }

  /// Of a program: where one belongs to the texts, or where one of an earlier run would be taken
  /// for theirs.
  std::string ownManifest() const {
    const std::string path = (fs::path(options_.output) / "layout.json").string();
    std::error_code ignored;
    return layouts_.buffers.empty() && !fs::exists(path, ignored) ? std::string() : path;
  }

  std::vector<std::string> filesRead() const {
    std::vector<std::string> files;
    if (jobs_[0].path != "-") files.push_back(jobs_[0].path);
    const std::vector<std::string>& includes = jobs_[0].module.dependencies;
    files.insert(files.end(), includes.begin(), includes.end());
    for (const std::string& path :
         {options_.scenario.path, options_.layoutManifest, options_.load.projectFile})
      if (!path.empty()) files.push_back(path);
    return files;
  }

  TranspileOptions options_;
  std::optional<ScenarioShaders> shaders_; ///< with --scenario
  std::vector<Job> jobs_;
  ConstantUse use_{options_.constants};
  LayoutManifest layouts_;
  std::unique_ptr<Verifier> verifier_;
};

} // namespace

std::unique_ptr<Command> makeTranspileCommand() {
  return std::make_unique<TranspileCommand>();
}

} // namespace lanewise::driver
