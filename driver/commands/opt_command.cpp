// `lanewise opt`: load, run the pipeline, verify, write, report.
#include "commands/commands.h"
#include "compilers/cost_gate.h"
#include "compilers/module_stats.h"
#include "input/workload.h"
#include "layout/layout_manifest.h"
#include "options/opt_options.h"
#include "options/option_groups.h"
#include "pipeline/opt_program.h"
#include "pipeline/opt_verify.h"
#include "pipeline/optimize_input.h"
#include "pipeline/option_use.h"
#include "pipeline/output_names.h"
#include "pipeline/per_device.h"
#include "pipeline/per_pipeline.h"
#include "report/html/report_subjects.h"
#include "report/remark_printer.h"
#include "support/files.h"
#include "support/isolate.h"
#include "support/print.h"
#include "support/progress_line.h"
#include "support/terminal.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <iostream>
#include <memory>
#include <set>
#include <unistd.h>

namespace lanewise::driver {

namespace {

namespace fs = std::filesystem;

/// Several inputs share the target, the device and the remarks file.
class OptCommand : public Command {
public:
  void declare(CommandLine& line) override { declareOpt(line, options_); }

  int run(const CommandLine& line) override {
    shown_ = line.shown();
    setDefaultIsolation(options_.isolation);
    setDefaultValidation(options_.validation);
    if (int code = prepare()) return code;
    setTerminal();
    options_.pipeline.onSite = use_.listener();
    ProgressLine progress(showsProgress());
    const int exitCode = options_.isProgram() ? runProgram() : runInputs();
    if (exitCode != kBadUsageOrInput) tellUnused();
    return exitCode;
  }

private:
  int runInputs() {
    int exitCode = kDone;
    for (const std::string& input : options_.inputs) {
      tellProgress(input);
      const bool isLast = &input == &options_.inputs.back();
      exitCode =
          std::max(exitCode, options_.isPerPipeline ? optimizePerPipeline(input)
                             : options_.isPerDevice
                                 ? optimizePerDevice(input)
                                 : optimizeOne(input, outputFor(input), options_, nullptr, isLast));
    }
    CommandOutput left; // the last input failed
    if (!remarks_.empty() && wantsRemarksFile())
      left.files.push_back({options_.remarksFile, std::move(remarks_)});
    if (options_.isPerDevice && !(devices_.empty() && exitCode == kBadUsageOrInput))
      left.files.push_back(
          {(fs::path(options_.output) / "devices.toml").string(), outputsAsToml(devices_)});
    if (options_.isPerPipeline && !(records_.empty() && exitCode == kBadUsageOrInput))
      left.files.push_back(
          {(fs::path(options_.output) / "pipelines.toml").string(), outputsAsToml(records_)});
    if (options_.inputs.size() > 1 || options_.hasSeveralOutputs()) addPage(left);
    if (int code = write(left)) return code;
    return exitCode;
  }

  /// Options without which the output would be the same.
  void tellUnused() const {
    if (const std::string text = noPassText(options_); !text.empty())
      printError("lanewise: note: {}\n", text);
    for (const Remark& r : use_.warnings())
      if (options_.format == ReportFormat::Json)
        printPlain(stderr, remarkAsJson(r, ""));
      else
        printError("lanewise: warning: {}\n", r.message);
  }

  /// `contents` are the module's where the file's are not. The exit code.
  int optimizeOne(const std::string& input, const std::string& output, const OptOptions& options,
                  const std::string* contents, bool isLast) {
    OptimizedInput one =
        optimizeInput(input, output, options, verifier_.get(), std::cerr, contents);
    if (!one.failure.empty()) fail(one.failure);
    if (one.module.read && use_.asksModules()) use_.see(*one.module.read);
    std::optional<ModuleStats> stats;
    if (compilers_ && one.exitCode != kBadUsageOrInput)
      stats =
          addCompilerStats(input, one.module, one.outcome.words, options, *compilers_, one.output);
    remarks_ += one.output.remarks;
    if (!options_.html.empty()) {
      subjects_.push_back(subjectOf(input, one, options_.keepLines, detail()));
      if (stats) subjects_.back().tables.push_back(tableOf(*stats));
    }
    // With the last output: either all are written or none.
    if (isLast && one.exitCode != kBadUsageOrInput) {
      if (wantsRemarksFile())
        one.output.files.push_back({options_.remarksFile, std::exchange(remarks_, {})});
      addPage(one.output);
    }
    return std::max(one.exitCode, write(one.output));
  }

  /// An output for each set of constants that is recorded of the input.
  int optimizePerPipeline(const std::string& input) {
    Result<std::vector<PipelineInput>> all = inputsPerPipeline(input, options_);
    if (!all) return fail(all.error().message);
    if (all->empty())
      printError("lanewise: note: {}: {} has no pipeline of this module; nothing was written\n",
                 input, options_.pipelines.path);
    int exitCode = kDone;
    for (const PipelineInput& one : *all) {
      const int code = optimizeInto(input, one.outputName, one.options, &one.contents);
      exitCode = std::max(exitCode, code);
      if (code != kBadUsageOrInput)
        records_.push_back(one.record); // of what is there
      else
        printError("lanewise: note: {}: with the values of {}: {}\n", input,
                   options_.pipelines.path, one.values);
    }
    return exitCode;
  }

  /// An output for each device that has a choice for the input, and one for all others.
  int optimizePerDevice(const std::string& input) {
    Result<std::vector<DeviceOutput>> all = outputsPerDevice(input, options_);
    if (!all) return fail(all.error().message);
    int exitCode = kDone;
    for (DeviceOutput& one : *all) {
      const int code = optimizeInto(input, one.name, one.options, nullptr);
      exitCode = std::max(exitCode, code);
      if (code != kBadUsageOrInput) devices_.push_back(std::move(one));
    }
    return exitCode;
  }

  /// To a file of the folder.
  int optimizeInto(const std::string& input, const std::string& name, const OptOptions& options,
                   const std::string* contents) {
    const std::string output = (fs::path(options_.output) / name).string();
    if (!outputs_.insert(output).second)
      return fail(fmt::format("{}: two inputs would be written to it", output));
    return optimizeOne(input, output, options, contents, false);
  }

  /// People who ask for remarks on a terminal get the source with them.
  void setTerminal() {
    const RemarkFilter asked = options_.remarks;
    options_.columns = terminalWidth(stderr);
    options_.quotesSource = isTerminal(stderr) && options_.remarksFile.empty() &&
                            (asked == RemarkFilter::All || asked == RemarkFilter::Applied ||
                             asked == RemarkFilter::Missed);
  }

  /// What passes print as they go would come between.
  bool showsProgress() const {
    const PipelineOptions& p = options_.pipeline;
    return !options_.isQuiet && options_.format == ReportFormat::Text && !p.printAll &&
           p.printBefore.empty() && p.printAfter.empty() && p.bisectLimit < 0;
  }

  void tellProgress(const std::string& input) const {
    const size_t all = options_.inputs.size();
    const size_t n = size_t(&input - options_.inputs.data()) + 1;
    ProgressLine::tell(ProgressLine::Level::Task,
                       all == 1 ? input : fmt::format("[{}/{}] {}", n, all, input));
  }

  bool wantsRemarksFile() const {
    return !options_.remarksFile.empty() && options_.remarks != RemarkFilter::None;
  }

  /// What can go wrong before any input is read.
  int prepare() {
    if (int code =
            openTarget(options_.targetName, options_.verification.device, options_.pipeline.target))
      return code;
    if (options_.isProgram()) {
      if (!options_.html.empty())
        if (int code = checkPlace(options_.html, {})) return code;
      return openDevice();
    }
    if (options_.output.empty() && !options_.wantsDiff && !options_.asText &&
        ::isatty(STDOUT_FILENO))
      return fail("the output is binary; give -o FILE, or -S for text");
    if (options_.hasSeveralOutputs()) {
      if (Status s = makeFolder(options_.output); !s) return fail(s.error().message);
      return openDevice();
    }
    if (options_.inputs.size() > 1 && !options_.output.empty() && !isFolder(options_.output))
      return fail(
          fmt::format("{}: not a folder; several inputs need an existing one", options_.output));
    if (int code = checkDestinations()) return code;
    return openDevice();
  }

  /// Every file that is written must be writable, another than the others, and nothing that is
  /// read, except a module that is replaced by what was made of it.
  int checkDestinations() const {
    std::set<std::string> outputs;
    for (const std::string& input : options_.inputs) {
      std::string out = outputFor(input);
      if (out.empty()) continue;
      if (!outputs.insert(out).second)
        return fail(fmt::format("{}: two inputs would be written to it", out));
      if (int code = checkPlace(out, {})) return code;
    }
    std::vector<std::string> others = options_.inputs;
    others.insert(others.end(), outputs.begin(), outputs.end());
    if (options_.depfile.isWanted && options_.depfile.path.empty())
      for (const std::string& out : outputs) others.push_back(options_.depfile.pathFor(out));
    for (const std::string& path :
         {options_.depfile.path, options_.layoutManifest, options_.html}) {
      if (int code = checkPlace(path, others)) return code;
      others.push_back(path);
    }
    return wantsRemarksFile() ? checkPlace(options_.remarksFile, others) : int(kDone);
  }

  int checkPlace(const std::string& path, std::vector<std::string> others) const {
    others.push_back(options_.scenario.path);
    if (options_.targetName.ends_with(".toml")) others.push_back(options_.targetName);
    Status s = checkDestination(path, others);
    return s ? int(kDone) : fail(s.error().message);
  }

  int openDevice() {
    if (!options_.compilerStats.empty()) {
      Result<std::vector<CompilerChoice>> choices = chooseCompilers(options_.compilerStats);
      if (!choices)
        return fail("--compiler-stats: " + choices.error().message,
                    areCompilerNames(options_.compilerStats) ? kNoDevice : kBadUsageOrInput);
      compilers_.emplace(std::move(*choices), CompilerIsolation::Together);
    }
    if (!options_.gateCompilers.empty()) {
      Result<std::vector<CompilerChoice>> choices = chooseCompilers(options_.gateCompilers);
      if (!choices)
        return fail("--keep-if=cheaper: " + choices.error().message,
                    areCompilerNames(options_.gateCompilers) ? kNoDevice : kBadUsageOrInput);
      gateCompilers_.emplace(std::move(*choices), CompilerIsolation::Together);
      options_.pipeline.whyDearer = CostGate(*gateCompilers_, options_);
    }
    if (!options_.verify) return kDone;
    Result<std::unique_ptr<Verifier>> verifier = Verifier::create(options_.verification);
    if (!verifier) return fail(verifier.error().message, kNoDevice);
    verifier_ = std::move(*verifier);
    return kDone;
  }

  /// Where the module goes; "" when only a diff was asked for.
  std::string outputFor(const std::string& input) const {
    if (options_.output.empty()) return options_.wantsDiff ? "" : "-";
    if (options_.inputs.size() == 1) {
      // One input into a folder is what scripts do with a list of one.
      if (!isFolder(options_.output) || input == "-") return options_.output;
    }
    // "blur.comp" becomes "blur.comp.spv", so that blur.frag beside it gets another name.
    return (fs::path(options_.output) / outputName(input, "", options_.asText)).string();
  }

  int runProgram() {
    Result<ScenarioShaders> shaders = ScenarioShaders::read(options_.scenario, options_.load);
    if (!shaders) return fail(shaders.error().message);
    CommandOutput output;
    std::vector<ProgramModule> modules;
    for (const ScenarioShader* shader : shaders->used()) {
      if (shader->name.find('/') != std::string::npos)
        return fail(
            fmt::format("{}: shader `{}`: its name is used as a file name and must not contain '/'",
                        options_.scenario.path, shader->name));
      Result<LoadedModule> module = shaders->load(*shader);
      if (!module) return fail(module.error().message);
      for (const std::string& warning : module->warnings) output.standardError += warning + "\n";
      use_.see(*module->read);
      modules.push_back({shader, std::move(*module), {}});
    }
    Result<OptimizedProgram> program =
        optimizeProgram(*shaders, std::move(modules), options_, verifier_.get(), std::cerr);
    if (!program) return fail(program.error().message);
    int exitCode = program->verification.foundDifference ? kFoundSomething : kDone;
    if (options_.requiresVerified && !program->verification.isVerified) {
      for (ProgramModule& m : program->modules) m.outcome.words = m.module.words();
      program->layouts = {};
      exitCode = kFoundSomething;
    }
    if (int code = addProgram(*program, output)) return code;
    if (int code = write(output)) return code;
    return exitCode;
  }

  /// The outputs of a program, its manifest and what is said of it.
  int addProgram(OptimizedProgram& program, CommandOutput& output) {
    if (Status s = makeFolder(options_.output); !s) return fail(s.error().message);
    const fs::path folder = options_.output;
    for (ProgramModule& m : program.modules) {
      const std::string out =
          (folder / (m.shader->name + (options_.asText ? ".spvasm" : ".spv"))).string();
      if (Status s = addModule(m.shader->path, out, m.module, m.outcome, options_, output); !s)
        return fail(fmt::format("{}: {}", m.shader->path, s.error().message));
      addReport(m.shader->path, &m.module, m.outcome, nullptr, options_, output);
      if (compilers_)
        stats_.push_back(addCompilerStats(m.shader->path, m.module, m.outcome.words, options_,
                                          *compilers_, output));
    }
    if (!options_.html.empty()) addProgramSubjects(program);
    PipelineOutcome whole;
    whole.remarks = std::move(program.remarks);
    addReport(options_.scenario.path, nullptr, whole,
              options_.verify ? &program.verification : nullptr, options_, output);
    const std::string given = options_.layoutManifest;
    const std::string own = (folder / "layout.json").string();
    std::error_code ignored;
    // One that an earlier run left there would be taken for these modules'.
    if ((given.empty() && !program.layouts.buffers.empty()) ||
        (own != given && fs::exists(own, ignored)))
      output.files.push_back({own, layoutManifestToJson(program.layouts)});
    if (!given.empty()) output.files.push_back({given, layoutManifestToJson(program.layouts)});
    if (wantsRemarksFile())
      output.files.push_back({options_.remarksFile, std::exchange(output.remarks, {})});
    addPage(output);
    return kDone;
  }

  // ---- the page of --html ----

  /// Differences of the code of very many modules would drown the rest.
  SubjectDetail detail() const {
    constexpr size_t kMostWithDiffs = 24;
    SubjectDetail detail;
    detail.hasDiff = options_.inputs.size() <= kMostWithDiffs;
    return detail;
  }

  /// Turns what was collected into the page, if one is asked for that was not added yet.
  void addPage(CommandOutput& output) {
    if (options_.html.empty() || subjects_.empty()) return;
    ReportPage page;
    page.command = "opt";
    page.title = options_.isProgram()          ? options_.scenario.path
                 : options_.inputs.size() == 1 ? subjects_[0].name
                                               : fmt::format("{} modules", options_.inputs.size());
    const TargetProfile& target = options_.pipeline.target;
    page.facts = {
        {"command", shown_},
        {"target", target.isSharedMemoryCached()
                       ? fmt::format("{}: subgroups of {}, shared memory in cache lines "
                                     "of {} bytes",
                                     target.name, target.subgroupSize, target.bankBytes)
                       : fmt::format("{}: subgroups of {}, {} banks of {} bytes", target.name,
                                     target.subgroupSize, target.banks, target.bankBytes)}};
    if (options_.scenario.isGiven()) page.facts.push_back({"scenario", options_.scenario.path});
    for (ReportFact& fact : versionFacts()) page.facts.push_back(std::move(fact));
    std::vector<std::string> files = options_.inputs;
    files.insert(files.end(), {options_.scenario.path, options_.targetName});
    addSubjects(page, std::exchange(subjects_, {}), files);
    output.files.push_back({options_.html, htmlReport(page)});
  }

  void addProgramSubjects(const OptimizedProgram& program) {
    for (const ProgramModule& m : program.modules) {
      ReportSubject subject;
      subject.name = fmt::format("{} ({})", m.shader->name, m.shader->path);
      subject.remarks = m.outcome.remarks;
      subject.ranSpirvOpt = m.outcome.ranSpirvOpt;
      addModuleDetail(subject, m.module, m.outcome.words, options_.keepLines, detail());
      if (subjects_.size() < stats_.size())
        subject.tables.push_back(tableOf(stats_[subjects_.size()]));
      subjects_.push_back(std::move(subject));
    }
    ReportSubject whole;
    whole.name = options_.scenario.path;
    whole.isWhole = true;
    whole.remarks = program.remarks;
    whole.isUnchanged = std::all_of(subjects_.begin(), subjects_.end(),
                                    [](const ReportSubject& s) { return s.isUnchanged; });
    if (options_.verify) setVerification(whole, program.verification);
    whole.isInputKept = options_.requiresVerified && !program.verification.isVerified;
    for (ReportSubject& s : subjects_) {
      whole.ranSpirvOpt |= s.ranSpirvOpt;
      whole.bytesBefore += s.bytesBefore, whole.bytesAfter += s.bytesAfter;
      whole.moduleRewrites +=
          size_t(std::count_if(s.remarks.begin(), s.remarks.end(),
                               [](const Remark& r) { return r.kind == Remark::Kind::Applied; }));
      s.state = whole.state; // the program was verified, not each module
      s.isInputKept = whole.isInputKept;
    }
    subjects_.push_back(std::move(whole));
  }

  int write(CommandOutput& output) const {
    OutputFiles files;
    if (options_.writesIfChanged) files.keepEqualFiles();
    for (FileToWrite& f : output.files) files.add(std::move(f.path), std::move(f.contents));
    ProgressLine::wipe(); // one of the files may be standard output
    // Files first: what is printed must not speak of an output that could not be written.
    if (Status s = files.commit(); !s) return fail(s.error().message);
    if (options_.format == ReportFormat::Json)
      printPlain(stderr, output.standardError);
    else
      printDiagnostics(stderr, output.standardError);
    printOut("{}", output.standardOutput);
    return kDone;
  }

  OptOptions options_;
  OptionUse use_{options_};
  std::string shown_;
  std::string remarks_;                   ///< for --remarks-file, until it is written
  std::vector<RecordedPipeline> records_; ///< of --per-pipeline
  std::vector<DeviceOutput> devices_;     ///< of --per-device
  std::set<std::string> outputs_;         ///< of both
  std::vector<ReportSubject> subjects_;   ///< for --html, until it is written
  std::unique_ptr<Verifier> verifier_;
  std::optional<CompilerSet> compilers_;     ///< with --compiler-stats
  std::optional<CompilerSet> gateCompilers_; ///< with --keep-if=cheaper
  std::vector<ModuleStats> stats_;           ///< of a program's modules
};

} // namespace

std::unique_ptr<Command> makeOptCommand() {
  return std::make_unique<OptCommand>();
}

} // namespace lanewise::driver
