// `lanewise transpile`: a module as text of another language, and the text checked against it.
#include "commands/commands.h"
#include "input/front_end.h"
#include "input/scenario_inputs.h"
#include "layout/layout_manifest.h"
#include "options/transpile_options.h"
#include "report/report.h"
#include "support/depfile.h"
#include "support/failure.h"
#include "support/files.h"
#include "support/isolate.h"
#include "support/print.h"
#include "transpile/prepare.h"
#include "transpile/round_trip.h"
#include "verify/inputs/synthesize.h"
#include "verify/program/reflect.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <set>

namespace lanewise::driver {

namespace {

namespace fs = std::filesystem;

int fail(int code, std::string_view message) {
  printError("lanewise: {}\n", message);
  return code;
}

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

/// One command: all shaders are transpiled and checked before anything is written.
class TranspileRun {
public:
  explicit TranspileRun(TranspileOptions options) : options_(std::move(options)) {}

  int run() {
    setDefaultIsolation(options_.isolation);
    for (Status s : {checkDestinations(), readScenarioFile(), listJobs()})
      if (!s) return fail(kBadUsageOrInput, s.error().message);
    for (Job& job : jobs_)
      if (int code = load(job)) return code;
    if (int code = openDevice()) return code;
    for (Job& job : jobs_)
      if (Status s = transpile(job); !s)
        return fail(kBadUsageOrInput, fmt::format("{}: {}", job.displayName(), s.error().str()));
    if (Status s = readManifest(); !s) return fail(kBadUsageOrInput, s.error().message);
    VerifyReport report;
    if (options_.verify) {
      Result<VerifyReport> verified = verify();
      if (!verified) return fail(kBadUsageOrInput, verified.error().str());
      report = std::move(*verified);
    }
    return finish(report);
  }

private:
  bool isProgram() const { return isFolder(options_.input); }

  // ---- before anything is read ----

  Status checkDestinations() const {
    std::vector<std::string> others{options_.input, options_.scenario, options_.layoutManifest};
    for (const std::string& path : {isProgram() ? std::string() : options_.output, depfile(),
                                    options_.newManifest, options_.json}) {
      if (path.empty() || path == "-") continue;
      for (const std::string& other : others)
        if (!other.empty() && isSameFile(path, other))
          return failure(
              fmt::format("{}: this command reads or writes it already; give another name", path));
      if (Status s = checkWritable(path); !s)
        return failure(fmt::format("{}: {}", path, s.error().message));
      others.push_back(path);
    }
    return ok();
  }

  std::string depfile() const {
    if (!options_.writesDepfile) return {};
    return options_.depfile.empty() ? options_.output + ".d" : options_.depfile;
  }

  Status readScenarioFile() {
    if (options_.scenario.empty()) return ok();
    Result<Scenario> read = readScenario(options_.scenario, options_.scenarioSize);
    if (!read) return read.error();
    scenario_ = std::move(*read);
    return ok();
  }

  Status listJobs() {
    if (isProgram()) return listProgram();
    Job job;
    job.path = options_.input;
    job.output = options_.output == "-" ? "" : options_.output;
    if (!options_.scenario.empty()) {
      Result<const ScenarioShader*> described =
          shaderFor(scenario_, options_.shader, options_.input);
      if (!described) return described.error();
      job.described = *described;
    }
    jobs_.push_back(std::move(job));
    return ok();
  }

  /// What opt --scenario -o wrote into the folder: all shaders that the dispatches use.
  Status listProgram() {
    std::set<std::string> used;
    for (const ScenarioDispatch& dispatch : scenario_.dispatches) used.insert(dispatch.shader);
    for (const ScenarioShader& shader : scenario_.shaders) {
      if (!used.count(shader.name)) continue; // a rival's
      Job job;
      job.described = &shader;
      for (const char* extension : {".spv", ".spvasm"}) {
        std::error_code ignored;
        const fs::path path = fs::path(options_.input) / (shader.name + extension);
        if (job.path.empty() && fs::exists(path, ignored)) job.path = path.string();
      }
      if (job.path.empty())
        return failure(fmt::format("{}: it has no {}.spv for shader `{}`; write it with opt "
                                   "--scenario={} -o {}",
                                   options_.input, shader.name, shader.name, options_.scenario,
                                   options_.input));
      const std::string name = shader.name + std::string(extensionOf(options_.target.language));
      job.output = (fs::path(options_.output) / name).string();
      if (isSameFile(job.path, job.output))
        return failure(fmt::format("{}: it is an input and would be overwritten", job.output));
      jobs_.push_back(std::move(job));
    }
    return ok();
  }

  // ---- steps of one shader ----

  int load(Job& job) const {
    LoadOptions load = options_.load;
    if (job.described && !isProgram()) {
      // Macros of the command line go before the scenario's.
      for (const auto& [name, value] : job.described->defines)
        if (std::none_of(load.defines.begin(), load.defines.end(),
                         [&](const auto& given) { return given.first == name; }))
          load.defines.emplace_back(name, value);
    }
    if (job.described && load.entry.empty() && job.described->entry != "main")
      load.entry = job.described->entry;
    LoadError why;
    std::optional<LoadedModule> module = loadModule(job.path, load, why);
    if (!module) {
      // Messages of compilers keep the form that editors jump to.
      for (const std::string& line : why.lines)
        printError("{}{}\n", line.find(": error: ") != std::string::npos ? "" : "lanewise: ", line);
      return kBadUsageOrInput;
    }
    for (const std::string& warning : module->warnings) printError("{}\n", warning);
    job.module = std::move(*module);
    return kDone;
  }

  Status transpile(Job& job) const {
    PrepareRequest prepare{options_.target, options_.load.entry, options_.fixedConstants,
                           options_.fixesAll, job.module.env};
    if (prepare.entry.empty() && job.described && job.described->entry != "main")
      prepare.entry = job.described->entry;
    if (job.module.kind == InputKind::Hlsl) prepare.entry.clear(); // the only one that there is
    Result<PreparedModule> prepared = prepareModule(job.module.words, prepare);
    if (!prepared) return prepared.error();
    job.fixedConstants = std::move(prepared->fixedConstants);
    if (options_.target.language == Language::SpvAsm) {
      Result<std::string> text =
          disassemble(job.module.isSource() ? stripLines(prepared->words) : prepared->words);
      if (!text) return text.error();
      job.text.text = std::move(*text);
      job.text.entry = prepared->entry;
      job.text.notes = std::move(prepared->notes);
      return ok();
    }
    CrossRequest request{options_.target, prepared->entry, options_.newName, options_.binds};
    Result<CrossText> text = crossCompile(prepared->words, request);
    if (!text) return text.error();
    job.text = std::move(*text);
    job.text.notes.insert(job.text.notes.begin(), prepared->notes.begin(), prepared->notes.end());
    return ok();
  }

  Status readManifest() {
    std::string path = options_.layoutManifest;
    std::error_code ignored;
    if (path.empty() && isProgram()) {
      const fs::path own = fs::path(options_.input) / "layout.json";
      if (fs::exists(own, ignored)) path = own.string();
    }
    if (path.empty()) return ok();
    Result<LayoutManifest> read = readLayoutManifest(path);
    if (!read) return read.error();
    layouts_ = std::move(*read);
    return ok();
  }

  // ---- verification ----

  bool canVerify() const { return options_.verify && options_.target.language != Language::Msl; }

  int openDevice() {
    if (!canVerify()) return kDone;
    VerifyOptions verify = options_.verification;
    verify.timing = false; // a compiler's detour says nothing of the target's speed
    Result<std::unique_ptr<Verifier>> verifier = Verifier::create(verify);
    if (!verifier) return fail(kNoDevice, verifier.error().message);
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
      return notRun("no compiler of MSL is at hand that could bring the text back to a device; "
                    "Metal's own compiler has to take it");
    RoundTrip trip;
    trip.target = options_.target;
    trip.layouts = layouts_;
    if (options_.scenario.empty()) {
      Result<std::string> why = makeUpScenario(trip);
      if (!why) return why.error();
      if (!why->empty()) return notRun(*why);
    } else if (Status s = takeScenario(trip); !s) {
      return s.error();
    }
    return verifyRoundTrip(*verifier_, trip);
  }

  static TranspiledShader shaderOf(const Job& job, std::string name) {
    return {std::move(name), job.module.words, job.text, job.fixedConstants, job.module.env};
  }

  /// Why no inputs could be generated, empty where they could.
  Result<std::string> makeUpScenario(RoundTrip& trip) {
    const Job& job = jobs_[0];
    Result<Reflection> reflection = reflect(
        job.module.words, job.module.kind == InputKind::Hlsl ? "" : options_.load.entry, {});
    if (!reflection) return reflection.error();
    Assumptions assumptions;
    assumptions.specConstants = job.fixedConstants;
    assumptions.workgroupSize = options_.workgroupSize;
    ShaderPair pair{reflection->entry, job.module.words, job.module.words};
    Result<Scenario> made =
        synthesizeScenario({&pair, 1}, assumptions, options_.verification.seed, trip.notes);
    if (!made) return fmt::format("no inputs could be generated: {}", made.error().str());
    trip.scenario = std::move(*made);
    trip.shaders.push_back(shaderOf(job, pair.name));
    return std::string();
  }

  Status takeScenario(RoundTrip& trip) {
    trip.scenario = scenario_;
    trip.scenario.variants.clear();
    if (Status s = chooseDispatches(trip); !s) return s;
    std::set<std::string> used, transpiled;
    for (const ScenarioDispatch& dispatch : trip.scenario.dispatches) used.insert(dispatch.shader);
    for (const Job& job : jobs_) {
      trip.shaders.push_back(shaderOf(job, job.described->name));
      transpiled.insert(job.described->name);
    }
    for (const ScenarioShader& shader : scenario_.shaders) {
      if (!used.count(shader.name) || transpiled.count(shader.name)) continue;
      if (!layouts_.buffers.empty())
        return failure(fmt::format("{}: its shader `{}` would see the old layout; give the FOLDER "
                                   "that opt --scenario -o wrote, so that all are transpiled",
                                   options_.scenario, shader.name));
      LoadOptions load = options_.load;
      load.kind.reset(); // -x speaks of the input
      load.entry.clear();
      Result<Words> words = loadShader(shader.path, load, &shader, Lines::Keep);
      if (!words) return words.error();
      trip.others[shader.name] = std::move(*words);
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
    if (runs(scenario_.dispatches)) return ok();
    for (const ScenarioVariant& variant : scenario_.variants) {
      if (!runs(variant.dispatches)) continue;
      trip.scenario.dispatches = variant.dispatches;
      if (variant.layout.empty() || !trip.layouts.buffers.empty()) return ok();
      Result<LayoutManifest> layouts = readLayoutManifest(variant.layout);
      if (!layouts) return layouts.error();
      trip.layouts = std::move(*layouts);
      return ok();
    }
    return failure(fmt::format("{}: no dispatch runs shader `{}`", options_.scenario, name));
  }

  // ---- the end ----

  int finish(const VerifyReport& report) {
    const bool isWrong = options_.verify && report.state == VerifyState::Differs;
    const bool isVerified = options_.verify && report.isVerified();
    const bool isWritten = !isWrong && (isVerified || !options_.requiresVerified);
    OutputFiles files;
    if (options_.writesIfChanged) files.keepEqualFiles();
    if (isWritten)
      if (Status s = addTexts(files); !s) return fail(kBadUsageOrInput, s.error().message);
    if (!options_.json.empty()) files.add(options_.json, reportToJson(report));
    // Files first: what is printed must not speak of an output that could not be written.
    if (Status s = files.commit(); !s) return fail(kBadUsageOrInput, s.error().message);
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
    if (isProgram()) {
      std::error_code error;
      fs::create_directories(options_.output, error);
      if (!isFolder(options_.output))
        return failure(fmt::format("{}: no folder can be made there", options_.output));
    }
    std::vector<CrossText> texts;
    for (Job& job : jobs_) {
      if (job.module.isSource() && !job.output.empty() && isSameFile(job.path, job.output))
        return failure(fmt::format("{}: the output would overwrite its source", job.output));
      texts.push_back(job.text);
      files.add(job.output.empty() ? "-" : job.output, job.text.text);
    }
    if (options_.writesDepfile) files.add(depfile(), depfileText(jobs_[0].output, filesRead()));
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
    for (const std::string& path : {options_.scenario, options_.layoutManifest})
      if (!path.empty()) files.push_back(path);
    return files;
  }

  TranspileOptions options_;
  Scenario scenario_;
  std::vector<Job> jobs_;
  LayoutManifest layouts_;
  std::unique_ptr<Verifier> verifier_;
};

} // namespace

int transpileCommand(std::span<char*> args) {
  Result<ParsedTranspileOptions> parsed = parseTranspileOptions(args);
  if (!parsed) return fail(kBadUsageOrInput, fmt::format("transpile: {}", parsed.error().message));
  if (!parsed->options) {
    printOut("{}", parsed->help);
    return kDone;
  }
  return TranspileRun(std::move(*parsed->options)).run();
}

} // namespace lanewise::driver
