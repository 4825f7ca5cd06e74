// `lanewise tune`: finds what is fastest for the shaders of a scenario (docs/tune.md).
#include "batch/cache/build_identity.h"
#include "commands/commands.h"
#include "compilers/compiler_choice.h"
#include "layout/layout_manifest.h"
#include "options/option_groups.h"
#include "options/project_file.h"
#include "options/shell_text.h"
#include "pass.h"
#include "report/html/report_subjects.h"
#include "support/failure.h"
#include "support/files.h"
#include "support/interrupt_note.h"
#include "support/isolate.h"
#include "support/print.h"
#include "support/progress_line.h"
#include "support/sha256.h"
#include "support/suggest.h"
#include "targets/device_target.h"
#include "targets/target_profiles.h"
#include "tuning/journal.h"
#include "tuning/shared_measurer.h"
#include "tuning/tuning_report.h"
#include "verify/device/device_host.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <set>
#include <variant>

namespace lanewise::driver {
namespace {

namespace fs = std::filesystem;

struct TuneArguments {
  ScenarioChoice scenario;
  LoadOptions load;
  VerifyOptions verify;
  TuneOptions tune;
  IsolationLimits isolation;
  std::string output = "tuning";
  std::string on;     ///< --on; "" for the device
  std::string target; ///< --target; "" for that of the device
  bool resumes = false;
  uint32_t jobs = 1;                      ///< --jobs
  std::string shown;                      ///< the command as the page shows it
  std::vector<std::string> sourceOptions; ///< those that were typed
};

struct TunedShader {
  ScenarioShader shader;
  Words input;
};

/// What was found at one place.
struct TunedProgram {
  TunedPlace place;
  ReportSubject subject;
  std::vector<TunedShader> shaders;
};

/// How a build uses what was found for a shader.
struct Use {
  std::string shader, command;
  bool isClear; ///< the command finds this choice, and no other one that differs
};

/// "60s", "2m", "90": seconds.
OptionSetter setBudget(double& seconds) {
  return [&seconds](const std::string& text) -> Status {
    const char* const end = text.data() + text.size();
    const auto [unit, error] = std::from_chars(text.data(), end, seconds);
    const std::string_view name(unit, size_t(end - unit));
    if (name == "m") seconds *= 60;
    if (name == "h") seconds *= 3600;
    const bool isUnit = name.empty() || name == "s" || name == "m" || name == "h";
    if (error == std::errc() && isUnit && seconds > 0 && seconds <= 1e6) return ok();
    return failure(fmt::format("--budget={} must be a time above 0, such as 60s, 5m or 1h", text));
  };
}

OptionSetter setPasses(std::vector<std::string>& passes) {
  return [&passes](const std::string& text) -> Status {
    std::vector<std::string> known;
    for (const PassInfo& pass : allPasses()) known.emplace_back(pass.flag);
    for (size_t at = 0; at <= text.size();) {
      const size_t comma = std::min(text.find(',', at), text.size());
      const std::string name = text.substr(at, comma - at);
      if (!findPass(name))
        return failure(fmt::format("--passes={}: no pass '{}'{}", text, name,
                                   didYouMean(name, known, "see 'lanewise passes'")));
      passes.push_back(name);
      at = comma + 1;
    }
    return ok();
  };
}

/// What a kept measurement is about: all that it depends on.
std::string keyOf(const TuneArguments& o, const ProgramBuilder& builder, const TunedPlace& place) {
  Sha256 hash;
  for (const std::string& field :
       {buildIdentity(), place.device, place.driver, place.target, o.scenario.size, o.verify.device,
        fmt::format("{} {} {} {} {} {} {}", o.tune.budgetSeconds, o.tune.mayAskHost, o.verify.seed,
                    o.verify.repeats, o.verify.timeoutSeconds, o.verify.interpreter.budgetSeconds,
                    o.jobs),
        fmt::format("{}", fmt::join(o.tune.passes, ","))})
    hash.addField(field);
  const Scenario& scenario = builder.scenario();
  std::vector<std::string> files{scenario.path};
  for (const ScenarioBuffer& buffer : scenario.buffers)
    if (const auto* file = std::get_if<FillFile>(&buffer.fill)) files.push_back(file->path);
  for (const std::string& file : files) {
    const Result<std::string> contents = readFile(file);
    hash.addField(contents ? *contents : std::string());
  }
  for (const ScenarioShader* shader : builder.used())
    hash.addField(bytesOf(builder.inputOf(shader->name)));
  return hexOf(hash.finish());
}

double secondsNow() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Powers of two; none where there is nothing to choose.
std::vector<uint32_t> subgroupSizesOf(uint32_t least, uint32_t most) {
  std::vector<uint32_t> all;
  for (uint32_t size = std::max(least, kMinSubgroupSize); least < most && size <= most; size *= 2)
    all.push_back(size);
  return all;
}

class TuneCommand : public Command {
public:
  void declare(CommandLine& line) override;

  int run(const CommandLine& line) override {
    o_.shown = line.shown();
    o_.sourceOptions = typedSourceOptions(line);
    setDefaultIsolation(o_.isolation);
    const std::vector<fs::path> made = missingFolders();
    if (Status s = makeFolder(o_.output); !s) return fail(s.error().message);
    const int code = search();
    std::error_code isNotEmpty;
    if (code != kDone)
      for (const fs::path& folder : made) fs::remove(folder, isNotEmpty);
    return code;
  }

private:
  int search() {
    removeStaleTemporaries(o_.output); // of runs that were killed
    if (int code = readChoices()) return code;
    ProgressLine progress(true);
    ProgressLine::tell(ProgressLine::Level::Task, o_.scenario.path);
    InterruptNote note("nothing is kept");
    note_ = &note;
    if (!o_.on.empty()) return predict();
    return measure();
  }

  /// Of the output's, the deepest first.
  std::vector<fs::path> missingFolders() const {
    std::vector<fs::path> missing;
    std::error_code error;
    for (fs::path p = fs::absolute(o_.output).lexically_normal(); !fs::exists(p, error);
         p = p.parent_path())
      if (p.has_filename()) missing.push_back(p);
    return missing;
  }

  std::string inFolder(const std::string& name) const {
    return (fs::path(o_.output) / name).string();
  }

  /// What other devices and shapes have there stays.
  int readChoices() {
    const std::string path = inFolder("tuning.toml");
    std::error_code error;
    if (!fs::exists(path, error)) return kDone;
    Result<TunedChoices> choices = readTuning(path);
    if (!choices) return fail(choices.error().message);
    choices_ = std::move(*choices);
    return kDone;
  }

  Result<ProgramBuilder> builderFor(const std::string& target) {
    Result<TargetProfile> profile = loadTarget(target);
    if (!profile) return profile.error();
    return ProgramBuilder::create(o_.scenario, o_.load, *profile);
  }

  // ---- on a device ----

  int measure() {
    DeviceHost host;
    Result<DeviceInfo> device = host.probe({.device = o_.verify.device});
    if (!device) return fail(device.error().message, kNoDevice);
    if (device->isInterpreter)
      return fail("--device=interpreter: it says nothing about speed; give a device, or ask a "
                  "compiler with --on=COMPILER, such as --on=navi21");
    const TunedPlace place{
        device->name,     device->driver, o_.target.empty() ? builtInTargetOf(*device) : o_.target,
        o_.scenario.size, false,          device->isCpu};
    Result<ProgramBuilder> builder = builderFor(place.target);
    if (!builder) return fail(builder.error().message);
    o_.tune.subgroupSizes = subgroupSizesOf(device->minSubgroupSize, device->maxSubgroupSize);
    const InterpreterOptions& interpreter = o_.verify.interpreter;
    o_.tune.checkSeconds = interpreter.checksBesideDevice ? interpreter.budgetSeconds : 0;
    const std::vector<std::string> devices = devicesLike(host, *device);
    const std::string key = keyOf(o_, *builder, place);
    const std::string path = inFolder(fmt::format(
        "{}.journal", fileNameOfDevice(fmt::format("{} {}", place.device, o_.scenario.size))));
    Journal journal = openJournal(path, key);
    KeptMeasurer measurer(
        journal,
        [&]() -> Result<std::unique_ptr<Measurer>> {
          return openMeasurer(builder->scenario(), devices);
        },
        [&](const Journal& kept) {
          OutputFiles file;
          file.add(path, kept.text());
          Status written = file.commit();
          if (written)
            note_->say(fmt::format("what was measured until now is kept in {}; --resume goes on "
                                   "from there",
                                   path));
          return written;
        },
        secondsNow);
    std::optional<CompilerSet> compilers = compilersForOrder();
    Result<TuneResult> result =
        searchByMeasuring(*builder, measurer, compilers ? &*compilers : nullptr, o_.tune);
    if (!result) return fail(result.error().message);
    if (!result->failure.empty()) return failUntunable(*result);
    if (result->isNothingMeasured()) return failUnmeasured(*result);
    const int code = finish(*builder, *result, place);
    printUses(); // none where it could not be written
    return code;
  }

  /// The chosen device and others of its kind, as many as --jobs says.
  std::vector<std::string> devicesLike(DeviceHost& host, const DeviceInfo& chosen) const {
    std::vector<std::string> all{o_.verify.device};
    if (o_.jobs == 1) return all;
    const Result<std::vector<DeviceInfo>> devices = host.list();
    for (const DeviceInfo& other : devices ? *devices : std::vector<DeviceInfo>())
      if (other.index != chosen.index && other.name == chosen.name &&
          other.driver == chosen.driver && all.size() < o_.jobs)
        all.push_back(std::to_string(other.index));
    if (all.size() < o_.jobs)
      printError("lanewise: note: --jobs={}: there {} of {}; measuring on as many\n", o_.jobs,
                 all.size() == 1 ? "is 1" : fmt::format("are {}", all.size()), chosen.name);
    return all;
  }

  std::unique_ptr<Measurer> openMeasurer(const Scenario& scenario,
                                         const std::vector<std::string>& devices) const {
    std::vector<std::unique_ptr<Measurer>> all;
    for (const std::string& device : devices) {
      VerifyOptions verify = o_.verify;
      verify.device = device;
      all.push_back(std::make_unique<DeviceMeasurer>(scenario, verify));
    }
    return std::make_unique<SharedMeasurer>(std::move(all));
  }

  Journal openJournal(const std::string& path, const std::string& key) const {
    if (!o_.resumes) return Journal(key);
    const Result<std::string> text = readFile(path);
    if (text)
      if (std::optional<Journal> kept = Journal::read(*text, key)) return std::move(*kept);
    printError("lanewise: note: {}: {}; measuring from the beginning\n", path,
               text ? "what was kept there is of another scenario, device, program or option, such "
                      "as --budget"
                    : "nothing was kept there");
    return Journal(key);
  }

  /// AMD's compiler, where it is installed: its figures order what is tried on any device.
  static std::optional<CompilerSet> compilersForOrder() {
    if (Result<std::vector<CompilerChoice>> choices = chooseCompilers("navi21"); choices)
      return CompilerSet(std::move(*choices), CompilerIsolation::Together);
    return std::nullopt;
  }

  int failUntunable(const TuneResult& result) const {
    return fail(fmt::format("{}: it cannot be tuned: {}", o_.scenario.path, result.failure),
                kFoundSomething);
  }

  /// What the folder has stays: an earlier run may have measured it.
  int failUnmeasured(const TuneResult& result) const {
    const std::string file = inFolder("tuning.toml");
    std::error_code error;
    return fail(
        fmt::format("{}: {}{}", o_.scenario.path, whyNothingMeasured(result),
                    fs::exists(file, error) ? fmt::format("; {} stays as it was", file) : ""),
        kFoundSomething);
  }

  // ---- by compilers ----

  int predict() {
    Result<std::vector<CompilerChoice>> choices = chooseCompilers(o_.on);
    if (!choices)
      return fail("--on: " + choices.error().message,
                  areCompilerNames(o_.on) ? kNoDevice : kBadUsageOrInput);
    Result<std::string> identity = identityOf(*choices);
    if (!identity) return fail(identity.error().message, kNoDevice);
    int exitCode = kDone;
    for (const CompilerChoice& choice : *choices) exitCode = std::max(exitCode, predictBy(choice));
    printUses();
    return exitCode;
  }

  int predictBy(const CompilerChoice& choice) {
    const bool isGcn = choice.family && choice.family->generation.starts_with("GCN");
    const std::string target = !o_.target.empty() ? o_.target
                               : !choice.family   ? "generic"
                               : isGcn            ? "amd-gcn"
                                                  : "amd-rdna";
    const TunedPlace place{choice.name, {}, target, o_.scenario.size, true, false};
    Result<ProgramBuilder> builder = builderFor(target);
    if (!builder) return fail(builder.error().message);
    VerifyOptions verify = o_.verify;
    if (verify.device.empty()) verify.device = "cpu";
    Result<std::unique_ptr<Verifier>> there = Verifier::create(verify);
    if (!there && o_.verify.device.empty()) verify.device = "interpreter";
    DeviceMeasurer measurer(builder->scenario(), verify, true);
    // GCN has one size (Mesa: RADV's minSubgroupSize).
    o_.tune.subgroupSizes =
        choice.family && !isGcn ? subgroupSizesOf(32, 64) : std::vector<uint32_t>();
    CompilerSet compilers({choice}, CompilerIsolation::Together);
    Result<TuneResult> result =
        searchByPredicting(*builder, measurer, compilers, choice.name, o_.tune);
    if (!result) return fail(result.error().message);
    if (!result->failure.empty()) return failUntunable(*result);
    return finish(*builder, *result, place);
  }

  // ---- results ----

  int finish(const ProgramBuilder& builder, const TuneResult& result, const TunedPlace& place) {
    const Descriptor lock = lockFolder(o_.output); // of others that tune into it
    if (int code = readChoices()) return code;     // what they have found meanwhile
    merge(choices_, choicesOf(builder, result, place));
    OutputFiles files;
    files.add(inFolder("tuning.toml"), asToml(choices_));
    const std::string folder =
        inFolder(fileNameOfDevice(fmt::format("{} {}", place.device, o_.scenario.size)));
    if (Status s = addModules(result, result.best, folder, files); !s)
      return fail(s.error().message);
    if (result.bestForHost)
      if (Status s = addModules(result, *result.bestForHost, folder + "-host", files); !s)
        return fail(s.error().message);
    TunedProgram& tuned =
        tuned_.emplace_back(TunedProgram{place, resultAsSubject(builder, result, place), {}});
    for (const ScenarioShader* shader : builder.used())
      tuned.shaders.push_back({*shader, builder.inputOf(shader->name)});
    files.add(inFolder("tuning.html"), page());
    if (Status s = files.commit(); !s) {
      tuned_.pop_back();
      return fail(s.error().message);
    }
    note_->say(fmt::format("what was found until now is in {}", inFolder("tuning.toml")));
    ProgressLine::wipe();
    printDiagnostics(stdout, resultAsText(builder, result, place));
    return kDone;
  }

  /// The modules themselves, and the layout of their buffers where that is not the host's.
  static Status addModules(const TuneResult& result, size_t chosen, const std::string& folder,
                           OutputFiles& files) {
    const BuiltProgram& program = *result.tried[chosen].program;
    if (Status s = makeFolder(folder); !s) return s.error();
    for (const auto& [name, words] : program.modules)
      files.add((fs::path(folder) / (name + ".spv")).string(), bytesOf(words));
    const std::string manifest = (fs::path(folder) / "layout.json").string();
    std::error_code error;
    if (!program.layouts.buffers.empty())
      files.add(manifest, layoutManifestToJson(program.layouts));
    else
      fs::remove(manifest, error); // of an earlier choice
    return ok();
  }

  // ---- how it is used ----

  /// The line for a build. Only once all is in the file it is known what tells its choices apart.
  Use useOf(const TunedPlace& place, const TunedShader& tuned) const {
    const std::string module = hexOf(sha256(bytesOf(tuned.input)));
    TuningChoice tuning;
    tuning.path = inFolder("tuning.toml");
    tuning.choices = std::make_shared<const TunedChoices>(choices_);
    for (const TunedChoice& c : choices_) {
      if (c.module != module) continue;
      if (c.device != place.device) tuning.device = place.device;
      if (c.device == place.device && c.shape != place.shape) tuning.shape = place.shape;
      if (c.device == place.device && c.shape == place.shape && c.shader != tuned.shader.name)
        tuning.shader = tuned.shader.name;
    }
    std::vector<std::string> words{"lanewise", "opt", "-O", "--tuning=" + tuning.path};
    if (!tuning.device.empty()) words.push_back("--tuning-device=" + tuning.device);
    if (!tuning.shape.empty()) words.push_back("--tuning-shape=" + tuning.shape);
    if (!tuning.shader.empty()) words.push_back("--tuning-shader=" + tuning.shader);
    std::ranges::move(loadWords(tuned.shader), std::back_inserter(words));
    words.insert(words.end(), {tuned.shader.path, "-o", tuned.shader.name + ".spv"});
    return {tuned.shader.name, shellCommand(words),
            findTuned(tuning, tuned.input).choice != nullptr};
  }

  /// What `opt` needs to read the shader as it was read here.
  std::vector<std::string> loadWords(const ScenarioShader& shader) const {
    std::vector<std::string> words;
    const std::string& project = o_.load.projectFile;
    const std::string found = projectFileAbove(shader.path);
    if (project.empty() ? !found.empty() : !isSameFile(project, found))
      words.push_back(fmt::format("--project={}", project.empty() ? kNoProject : project));
    std::ranges::copy(o_.sourceOptions, std::back_inserter(words));
    for (const auto& [name, value] : shader.defines) {
      const auto isOf = [&](const auto& given) { return given.first == name; };
      if (std::ranges::none_of(o_.load.defines, isOf))
        words.insert(words.end(), {"-D", fmt::format("{}={}", name, value)});
    }
    if (shader.entry != "main") words.push_back("--entry=" + shader.entry);
    return words;
  }

  std::vector<Use> usesOf(const TunedProgram& program) const {
    std::vector<Use> uses;
    for (const TunedShader& shader : program.shaders) uses.push_back(useOf(program.place, shader));
    return uses;
  }

  void printUses() const {
    std::set<std::string> unclear;
    for (const TunedProgram& program : tuned_)
      for (const Use& use : usesOf(program)) {
        printOut("use it: {}\n", use.command);
        if (!use.isClear) unclear.insert(use.shader);
      }
    if (!unclear.empty())
      printOut("note: {}: other choices there, of another driver or size, differ from that for {}, "
               "and no option picks it; tune into a folder of its own (-o)\n",
               inFolder("tuning.toml"), fmt::join(unclear, ", "));
  }

  /// The same for the page.
  ReportTable usesTable(const TunedProgram& program) const {
    ReportTable table;
    table.title = "In a build";
    table.header = {"shader", "command"};
    table.isFirst = true;
    for (const Use& use : usesOf(program))
      table.rows.push_back({{use.shader, use.command}, ReportTable::Role::Plain});
    return table;
  }

  std::string page() {
    ReportPage page;
    page.command = "tune";
    page.title = o_.scenario.path;
    page.facts = {{"command", o_.shown}, {"scenario", o_.scenario.path}};
    for (ReportFact& fact : versionFacts()) page.facts.push_back(std::move(fact));
    std::vector<ReportSubject> subjects;
    std::vector<std::string> files{o_.scenario.path, o_.output};
    for (const TunedProgram& program : tuned_) {
      for (const TunedShader& one : program.shaders) files.push_back(one.shader.path);
      subjects.push_back(program.subject);
      std::vector<ReportTable>& tables = subjects.back().tables;
      tables.insert(tables.begin() + 1, usesTable(program)); // behind the candidates
    }
    addSubjects(page, std::move(subjects), files);
    return htmlReport(page);
  }

  TuneArguments o_;
  TunedChoices choices_; ///< of the file
  std::vector<TunedProgram> tuned_;
  InterruptNote* note_ = nullptr;
};

void TuneCommand::declare(CommandLine& line) {
  line.about(
      "Tries passes, their modes and single rewrites, coarsening factors, and what the scenario "
      "lets it change, and finds what is fastest on a device and proved equal. tuning.toml says "
      "what was found for 'opt --tuning'; several devices share the file.\n"
      "Exit codes: 0 done, also where nothing was gained; 1 bad usage or input; 2 the original "
      "cannot be tuned, because it disagrees with itself or does not run, or --budget is too short "
      "to compare anything: then nothing is chosen; 3 no usable device.");
  line.example("Find what is fastest on the GPU at hand within a minute.",
               "lanewise tune scenario.toml --budget=60s -o tuned");
  line.example("Use what was found.",
               "lanewise opt -O --tuning=tuned/tuning.toml tile.comp -o tile.spv");
  line.example("Ask the compilers of GPUs that are not there.",
               "lanewise tune scenario.toml --on=navi21,vega10 -o tuned");
  line.positional("SCENARIO", "FILE.toml", o_.scenario.path, "what to run").required();
  line.group("What to try");
  addSizeOption(line, o_.scenario);
  line.value("--budget", "TIME", setBudget(o_.tune.budgetSeconds),
             "time for all of it, such as 30s or 5m, in seconds without a unit; what does not fit "
             "is not begun, but the best is compared once more in any case (default 60s)");
  line.value("--passes", "PASS,...", setPasses(o_.tune.passes),
             "only these passes beside the standard ones (default: all)");
  line.flag("--no-host", o_.tune.mayAskHost,
            "try nothing that the host would have to follow: sizes, constants, layouts", false);
  line.value(
      "--target", "NAME", o_.target,
      fmt::format("what the passes count with: {} (default: the profile of the device's vendor)",
                  fmt::join(builtInTargets(), ", ")));
  addSourceOptions(line, o_.load, "(the scenario gives it)");
  line.group("Where");
  line.value("--on", "COMPILER,...", o_.on,
             "measure nothing, and predict by these compilers, such as navi21");
  addDeviceOptions(line, o_.verify);
  addIsolationOptions(line, o_.isolation);
  line.value("--jobs", "N", o_.jobs,
             "share the candidates among so many GPUs of the device's kind");
  line.value("--repeats", "N", o_.verify.repeats, "most rounds of a race, 6 at least (default 20)");
  line.group("Results");
  line.value("-o,--output", "FOLDER", o_.output,
             "where tuning.toml, tuning.html and the modules go (default: tuning)")
      .place();
  line.flag("--resume", o_.resumes, "go on where a run that was stopped was");
  line.check([this, &line]() -> Status {
    if (!o_.scenario.path.ends_with(".toml"))
      return failure(fmt::format(
          "{}: {}tune takes a scenario, a .toml file; 'lanewise reflect --scenario SHADER' writes "
          "one to fill in",
          o_.scenario.path, isFolder(o_.scenario.path) ? "a folder; " : ""));
    if (o_.verify.repeats < 6 || o_.verify.repeats > 10000)
      return failure("--repeats must lie between 6 and 10000");
    if (o_.jobs < 1 || o_.jobs > 64) return failure("--jobs must lie between 1 and 64");
    if (o_.jobs > 1 && !o_.on.empty()) return failure("--jobs shares GPUs; --on measures nothing");
    const std::vector<std::string> targets = builtInTargets();
    if (!o_.target.empty() && std::ranges::find(targets, o_.target) == targets.end())
      return failure(fmt::format("--target={}: it must be a built-in profile, which tuning.toml "
                                 "can name: {}",
                                 o_.target, fmt::join(targets, ", ")));
    if (o_.resumes && !o_.on.empty())
      return failure("--resume goes on with measuring; --on measures nothing");
    if (line.isGiven("--entry") || line.isGiven("-x"))
      return failure("-x and --entry are for single modules; the scenario says both");
    return ok();
  });
}

} // namespace

std::unique_ptr<Command> makeTuneCommand() {
  return std::make_unique<TuneCommand>();
}

} // namespace lanewise::driver
