// `lanewise opt`: load, run the pipeline, verify, write, report.
#include "commands.h"
#include "depfile.h"
#include "device_target.h"
#include "files.h"
#include "front_end.h"
#include "isolate.h"
#include "layout_manifest.h"
#include "line_diff.h"
#include "opt_options.h"
#include "opt_program.h"
#include "opt_verify.h"
#include "pipeline.h"
#include "print.h"
#include "remark_printer.h"
#include "target_profiles.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <unistd.h>

namespace lanewise::driver {

namespace {

namespace fs = std::filesystem;

int fail(std::string_view message) {
  printError("lanewise: {}\n", message);
  return kBadUsageOrInput;
}

/// Everything that one input turns into, before anything is written.
struct OneResult {
  int exitCode = kDone;
  OutputFiles outputs;
  std::string standardOutput, standardError, remarks;
};

/// Commands with several inputs share the target, the device and the remarks file.
class OptRun {
public:
  explicit OptRun(OptOptions options) : options_(std::move(options)) {}

  int run() {
    setDefaultIsolation({options_.isolationTime, 0, options_.isolates});
    if (int code = prepare()) return code;
    if (options_.isProgram()) return runProgram();
    int exitCode = kDone;
    std::string remarks;
    for (const std::string& input : options_.inputs) {
      OneResult one;
      one.exitCode = runOne(input, one);
      exitCode = std::max(exitCode, one.exitCode);
      remarks += one.remarks;
      // With the last output: either both are written or neither.
      if (&input == &options_.inputs.back() && one.exitCode != kBadUsageOrInput &&
          wantsRemarksFile())
        one.outputs.add(options_.remarksFile, std::exchange(remarks, {}));
      if (int code = writeOne(one)) exitCode = std::max(exitCode, code);
    }
    if (remarks.empty() || !wantsRemarksFile()) return exitCode;
    OutputFiles file;
    file.add(options_.remarksFile, std::move(remarks));
    if (Status s = file.commit(); !s) return fail(s.error().message);
    return exitCode;
  }

private:
  bool wantsRemarksFile() const {
    return !options_.remarksFile.empty() && options_.remarks != RemarkFormat::None;
  }

  /// What can go wrong before any input is read.
  int prepare() {
    if (int code = chooseTarget()) return code;
    if (options_.isProgram()) return openDevice();
    if (options_.output.empty() && !options_.wantsDiff && !options_.asText &&
        ::isatty(STDOUT_FILENO))
      return fail("the output is binary; give -o FILE, or -S for text");
    if (options_.inputs.size() > 1 && !options_.output.empty() && !isFolder(options_.output))
      return fail(
          fmt::format("{}: not a folder, and several inputs need one to go to; make it first",
                      options_.output));
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
      if (int code = checkDestination(out, {})) return code;
    }
    std::vector<std::string> others = options_.inputs;
    others.insert(others.end(), outputs.begin(), outputs.end());
    if (!options_.depfile.empty()) {
      if (int code = checkDestination(options_.depfile, others)) return code;
      others.push_back(options_.depfile);
    }
    if (!options_.layoutManifest.empty()) {
      if (int code = checkDestination(options_.layoutManifest, others)) return code;
      others.push_back(options_.layoutManifest);
    }
    return wantsRemarksFile() ? checkDestination(options_.remarksFile, others) : int(kDone);
  }

  int checkDestination(const std::string& path, std::vector<std::string> others) const {
    for (const std::string& other : {options_.scenario, options_.targetName})
      if (other.ends_with(".toml")) others.push_back(other);
    for (const std::string& other : others)
      if (isSameFile(path, other))
        return fail(
            fmt::format("{}: this command reads or writes it already; give another name", path));
    if (Status s = checkWritable(path); !s)
      return fail(fmt::format("{}: {}", path, s.error().message));
    return kDone;
  }

  std::string depfileFor(const std::string& out) const {
    return options_.depfile.empty() ? out + ".d" : options_.depfile;
  }

  int chooseTarget() {
    bool isDevice = options_.targetName == "device";
    Result<TargetProfile> target =
        isDevice ? loadDeviceTarget(options_.device) : loadTarget(options_.targetName);
    if (!target) {
      fail(target.error().message);
      return isDevice ? kNoDevice : kBadUsageOrInput;
    }
    options_.pipeline.target = *target;
    return kDone;
  }

  int openDevice() {
    if (!options_.verify) return kDone;
    VerifyOptions verify;
    verify.device = options_.device;
    verify.validationLayer = options_.validationLayer;
    verify.timing = options_.hasTiming;
    verify.interpreter = options_.interpreter;
    Result<std::unique_ptr<Verifier>> verifier = Verifier::create(verify);
    if (!verifier) {
      printError("lanewise: {}\n", verifier.error().message);
      return kNoDevice;
    }
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
    fs::path name = fs::path(input).filename();
    std::string extension = options_.asText ? ".spvasm" : ".spv";
    // "blur.comp" becomes "blur.comp.spv", so that blur.frag beside it gets another name.
    std::string old = name.extension().string();
    if (old == ".spv" || old == ".spvasm") name.replace_extension();
    return (fs::path(options_.output) / (name.string() + extension)).string();
  }

  int runOne(const std::string& input, OneResult& one) {
    LoadOptions load = options_.load;
    PipelineOptions pipeline = options_.pipeline;
    std::optional<ScenarioFor> scenario;
    if (!options_.scenario.empty()) {
      Result<ScenarioFor> read = ScenarioFor::read(options_.scenario, options_.scenarioSize, input);
      if (!read) return fail(read.error().message);
      scenario = std::move(*read);
      scenario->apply(load);
      scenario->apply(pipeline.assumptions);
    }
    LoadError why;
    std::optional<LoadedModule> module = loadModule(input, load, why);
    if (!module) return failLoading(why);
    for (const std::string& warning : module->warnings) one.standardError += warning + "\n";
    if (scenario && changesLayouts(options_.steps))
      return optimizeWithScenario(input, std::move(*module), *scenario, one);
    return optimize(input, *module, scenario ? &*scenario : nullptr, std::move(pipeline), one);
  }

  int optimize(const std::string& input, const LoadedModule& module, const ScenarioFor* scenario,
               PipelineOptions pipeline, OneResult& one) {
    pipeline.env = module.env;
    pipeline.log = &std::cerr;
    pipeline.runSpirvOpt = runSpirvOpt;
    pipeline.validate = validate;
    std::unique_ptr<OptVerification> verification;
    if (options_.verify) {
      Result<std::unique_ptr<OptVerification>> v =
          OptVerification::create(*verifier_, options_, scenario, module.words);
      if (!v) return fail(v.error().message);
      verification = std::move(*v);
      pipeline.judge = [&](const PassInfo& pass, const Words& before, const Words& after,
                           const LayoutManifest& layouts, Remark& remark) {
        return verification->judge(pass, before, after, layouts, remark);
      };
    }
    Result<PipelineOutcome> outcome = runPipeline(module.words, options_.steps, pipeline);
    if (!outcome) return fail(fmt::format("{}: {}", input, outcome.error().str()));
    VerifySummary summary;
    if (verification) {
      Result<VerifySummary> finished =
          verification->finish(outcome->words, outcome->layouts, outcome->remarks);
      if (!finished) return fail(finished.error().message);
      summary = std::move(*finished);
    }
    return finishOne(input, module, *outcome, verification ? &summary : nullptr, one);
  }

  /// Adds what is to be written and said of one module. The exit code.
  int finishOne(const std::string& input, const LoadedModule& module, PipelineOutcome& outcome,
                const VerifySummary* summary, OneResult& one) {
    int exitCode = kDone;
    if (summary && summary->foundDifference) exitCode = kFoundSomething;
    if (summary && !summary->isVerified && options_.requiresVerified) {
      outcome.words = module.words;
      outcome.layouts = {};
      exitCode = kFoundSomething;
    }
    if (!outcome.layouts.buffers.empty() && options_.layoutManifest.empty())
      outcome.remarks.push_back(manifestMissing());
    if (Status s = addOutputs(input, module, outcome, one); !s)
      return fail(fmt::format("{}: {}", input, s.error().message));
    report(input, module, outcome, summary, one);
    return exitCode;
  }

  static Remark manifestMissing() {
    Remark r;
    r.kind = Remark::Kind::Warning;
    r.pass = "aos-to-soa";
    r.name = "no-manifest";
    r.message =
        "the host must lay out its buffers anew; give --layout-manifest=FILE to be told how";
    return r;
  }

  // ---- programs ----

  /// One shader that changes the layout of its buffers: what the scenario knows of them counts.
  int optimizeWithScenario(const std::string& input, LoadedModule module,
                           const ScenarioFor& scenario, OneResult& one) {
    if (shadersOfProgram(scenario.scenario()).size() != 1)
      return fail(
          fmt::format("{}: --aos-to-soa changes what all shaders of a scenario share; leave "
                      "INPUT out to take all of {}",
                      input, options_.scenario));
    std::vector<ProgramModule> modules(1);
    modules[0].shader = shadersOfProgram(scenario.scenario()).front();
    modules[0].module = std::move(module);
    Result<OptimizedProgram> program =
        optimizeProgram(scenario.scenario(), std::move(modules), options_, verifier_.get());
    if (!program) return fail(program.error().message);
    ProgramModule& only = program->modules.front();
    only.outcome.layouts = std::move(program->layouts);
    std::move(program->remarks.begin(), program->remarks.end(),
              std::back_inserter(only.outcome.remarks));
    return finishOne(input, only.module, only.outcome,
                     options_.verify ? &program->verification : nullptr, one);
  }

  int runProgram() {
    Result<Scenario> scenario = readScenario(options_.scenario, options_.scenarioSize);
    if (!scenario) return fail(scenario.error().message);
    OneResult one;
    std::vector<ProgramModule> modules;
    for (const ScenarioShader* shader : shadersOfProgram(*scenario)) {
      if (shader->name.find('/') != std::string::npos)
        return fail(fmt::format("{}: shader `{}`: its name becomes a file's, and has a '/'",
                                options_.scenario, shader->name));
      LoadError why;
      std::optional<LoadedModule> module = loadModule(shader->path, loadOptionsFor(*shader), why);
      if (!module) return failLoading(why);
      for (const std::string& warning : module->warnings) one.standardError += warning + "\n";
      modules.push_back({shader, std::move(*module), {}});
    }
    Result<OptimizedProgram> program =
        optimizeProgram(*scenario, std::move(modules), options_, verifier_.get());
    if (!program) return fail(program.error().message);
    int exitCode = program->verification.foundDifference ? kFoundSomething : kDone;
    if (options_.requiresVerified && !program->verification.isVerified) {
      for (ProgramModule& m : program->modules) m.outcome.words = m.module.words;
      program->layouts = {};
      exitCode = kFoundSomething;
    }
    if (int code = addProgram(*program, one)) return code;
    if (int code = writeOne(one)) return code;
    return exitCode;
  }

  LoadOptions loadOptionsFor(const ScenarioShader& shader) const {
    LoadOptions load = options_.load;
    for (const auto& [name, value] : shader.defines)
      if (std::none_of(load.defines.begin(), load.defines.end(),
                       [&](const auto& given) { return given.first == name; }))
        load.defines.emplace_back(name, value);
    if (shader.entry != "main") load.entry = shader.entry;
    return load;
  }

  /// The outputs of a program, its manifest and what is said of it.
  int addProgram(OptimizedProgram& program, OneResult& one) {
    std::error_code error;
    fs::create_directories(options_.output, error);
    if (!isFolder(options_.output))
      return fail(fmt::format("{}: no folder can be made there", options_.output));
    const fs::path folder = options_.output;
    for (ProgramModule& m : program.modules) {
      const std::string out =
          (folder / (m.shader->name + (options_.asText ? ".spvasm" : ".spv"))).string();
      if (Status s = addModule(m.shader->path, out, m.module, m.outcome, one); !s)
        return fail(fmt::format("{}: {}", m.shader->path, s.error().message));
      report(m.shader->path, m.module, m.outcome, nullptr, one);
    }
    PipelineOutcome whole;
    whole.remarks = std::move(program.remarks);
    addRemarks(options_.scenario, whole, one);
    if (options_.verify) reportVerification(options_.scenario, program.verification, one);
    flushRemarks(one);
    const std::string given = options_.layoutManifest;
    const std::string own = (folder / "layout.json").string();
    // One that an earlier run left there would be taken for these modules'.
    if ((given.empty() && !program.layouts.buffers.empty()) ||
        (own != given && fs::exists(own, error)))
      one.outputs.add(own, layoutManifestToJson(program.layouts));
    if (!given.empty()) one.outputs.add(given, layoutManifestToJson(program.layouts));
    if (wantsRemarksFile()) one.outputs.add(options_.remarksFile, std::exchange(one.remarks, {}));
    return kDone;
  }

  int failLoading(const LoadError& why) const {
    // Messages of compilers keep the form that editors jump to.
    for (const std::string& line : why.lines)
      printError("{}{}\n", line.find(": error: ") != std::string::npos ? "" : "lanewise: ", line);
    return kBadUsageOrInput;
  }

  // ---- outputs ----

  Status addOutputs(const std::string& input, const LoadedModule& module, PipelineOutcome& outcome,
                    OneResult& one) const {
    if (Status s = addModule(input, outputFor(input), module, outcome, one); !s) return s;
    if (!options_.layoutManifest.empty())
      one.outputs.add(options_.layoutManifest, layoutManifestToJson(outcome.layouts));
    return ok();
  }

  Status addModule(const std::string& input, std::string out, const LoadedModule& module,
                   PipelineOutcome& outcome, OneResult& one) const {
    bool isStripped = module.isSource() && !options_.keepLines;
    if (options_.wantsDiff) {
      Result<std::string> before =
          disassemble(isStripped ? stripLines(module.words) : module.words, TextHeader::No);
      if (!before) return before.error();
      Result<std::string> after =
          disassemble(isStripped ? stripLines(outcome.words) : outcome.words, TextHeader::No);
      if (!after) return after.error();
      one.standardOutput += unifiedDiff(*before, *after, input, input + " (optimized)");
    }
    if (isStripped) outcome.words = stripLines(outcome.words);
    if (out.empty()) return ok();
    if (module.isSource() && isSameFile(input, out))
      return Error{"the output would overwrite its source; give another name to -o", {}, 0, {}};
    std::string bytes;
    if (options_.asText) {
      Result<std::string> text = disassemble(outcome.words);
      if (!text) return text.error();
      bytes = std::move(*text);
    } else {
      bytes = bytesOf(outcome.words);
    }
    if (options_.writesDepfile)
      one.outputs.add(depfileFor(out), depfileText(out, filesRead(input, module.dependencies)));
    one.outputs.add(std::move(out), std::move(bytes));
    return ok();
  }

  std::vector<std::string> filesRead(const std::string& input,
                                     const std::vector<std::string>& includes) const {
    std::vector<std::string> files;
    if (input != "-") files.push_back(input);
    files.insert(files.end(), includes.begin(), includes.end());
    if (!options_.scenario.empty()) files.push_back(options_.scenario);
    if (options_.targetName.ends_with(".toml")) files.push_back(options_.targetName);
    return files;
  }

  void addRemarks(const std::string& name, const PipelineOutcome& outcome, OneResult& one) const {
    for (const Remark& r : outcome.remarks) {
      if (options_.remarks == RemarkFormat::Text) one.remarks += remarkAsText(r, name);
      if (options_.remarks == RemarkFormat::Json) one.remarks += remarkAsJson(r, name);
    }
  }

  /// The summary of a verification stands behind the remarks.
  void flushRemarks(OneResult& one) const {
    if (options_.remarksFile.empty()) one.standardError += std::exchange(one.remarks, {});
    one.standardError += std::exchange(verificationText_, {});
  }

  void report(const std::string& input, const LoadedModule& module, const PipelineOutcome& outcome,
              const VerifySummary* verification, OneResult& one) const {
    std::string name = input == "-" ? "<stdin>" : input;
    addRemarks(name, outcome, one);
    if (verification) reportVerification(name, *verification, one);
    flushRemarks(one);
    if (options_.hasStats) one.standardError += statsText(name, module, outcome);
    if (options_.pipeline.hasTimeReport) one.standardError += timesText(name, outcome);
  }

  void reportVerification(const std::string& name, const VerifySummary& summary,
                          OneResult& one) const {
    std::string_view state = summary.isVerified ? "verified" : "unverified";
    std::string reason = summary.reason;
    if (summary.isVerified && !summary.report) reason = "the module is unchanged";
    std::string inText = summary.report ? "" : ": " + reason; // a report begins with it
    if (options_.remarks == RemarkFormat::Json) {
      nlohmann::ordered_json j{{"kind", "verification"}, {"input", name}, {"state", state}};
      if (!reason.empty()) j["reason"] = reason;
      if (summary.report)
        j["report"] = nlohmann::ordered_json::parse(reportToJson(*summary.report), nullptr, false);
      one.remarks += j.dump() + "\n";
      return;
    }
    verificationText_ = fmt::format("{}: {}{}\n", name, state, inText);
    if (summary.report) verificationText_ += formatReport(*summary.report);
  }

  std::string statsText(const std::string& name, const LoadedModule& module,
                        const PipelineOutcome& outcome) const {
    std::map<std::string, std::pair<uint32_t, uint32_t>> byPass; // applied, missed
    for (const Remark& r : outcome.remarks) {
      if (r.kind == Remark::Kind::Applied) ++byPass[r.pass].first;
      if (r.kind == Remark::Kind::Missed) ++byPass[r.pass].second;
    }
    std::string text = fmt::format("{}: {} -> {} words, {} passes ran, {} Lanewise passes kept\n",
                                   name, module.words.size(), outcome.words.size(),
                                   options_.steps.size(), outcome.keptPasses);
    for (const auto& [pass, counts] : byPass)
      text +=
          fmt::format("  {:<32} {:>5} applied {:>5} missed\n", pass, counts.first, counts.second);
    return text;
  }

  static std::string timesText(const std::string& name, const PipelineOutcome& outcome) {
    double total = 0;
    for (const StepTime& t : outcome.times) total += t.milliseconds;
    std::string text = fmt::format("{}: {:.3f} ms in passes and validation\n", name, total);
    for (const StepTime& t : outcome.times)
      text += fmt::format("  {:>10.3f} ms {:>5.1f}%  {}\n", t.milliseconds,
                          total > 0 ? 100 * t.milliseconds / total : 0, t.what);
    return text;
  }

  static int writeOne(OneResult& one) {
    // Files first: what is printed must not speak of an output that could not be written.
    if (Status s = one.outputs.commit(); !s) return fail(s.error().message);
    printError("{}", one.standardError);
    printOut("{}", one.standardOutput);
    return kDone;
  }

  OptOptions options_;
  std::unique_ptr<Verifier> verifier_;
  mutable std::string verificationText_;
};

} // namespace

int optCommand(std::span<char*> args) {
  Result<ParsedOptions> parsed = parseOptOptions(args);
  if (!parsed) return fail(parsed.error().message);
  if (!parsed->options) {
    printOut("{}", parsed->help);
    return kDone;
  }
  return OptRun(std::move(*parsed->options)).run();
}

} // namespace lanewise::driver
