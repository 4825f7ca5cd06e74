#include "pipeline/optimize_input.h"

#include "analysis/shared_memory/target_limits.h"
#include "layout/layout_manifest.h"
#include "pipeline/opt_program.h"
#include "pipeline/recorded_costs.h"
#include "pipeline/tuned_pipeline.h"
#include "report/remark_printer.h"
#include "report/report.h"
#include "spirv/assembly.h"
#include "spirv/tools_grammar.h"
#include "support/depfile.h"
#include "support/failure.h"
#include "support/files.h"
#include "support/line_diff.h"
#include "support/print.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <memory>
#include <ostream>
#include <string_view>
#include <utility>

namespace lanewise::driver {

namespace {

Remark manifestMissing() {
  Remark r;
  r.kind = Remark::Kind::Warning;
  r.pass = "aos-to-soa";
  r.name = "no-manifest";
  r.message =
      "the host must use the new buffer layouts; opt --layout-manifest=FILE writes them down";
  return r;
}

Remark doubtful(const std::string& doubt) {
  Remark r;
  r.kind = Remark::Kind::Warning;
  r.pass = "validation";
  r.name = "doubtful-module";
  r.message = fmt::format("the module was left as it is: {}, though {} takes it", doubt,
                          spirvToolsRelease());
  return r;
}

/// What is written is more than the target takes: nobody will be able to run it there.
void addExceededLimits(const Words& words, const PipelineOptions& options,
                       const Assumptions& assumptions, Remarks& remarks) {
  if (options.target.name == TargetProfile().name) return; // no GPU, no limits
  Result<Module> module = Module::read(words);
  if (!module) return;
  Analyses analyses(*module, assumptions);
  for (const LimitExcess& excess : exceededLimits(analyses, options.target)) {
    Remark r;
    r.kind = Remark::Kind::Warning;
    r.pass = "target";
    r.name = excess.limit == LimitExcess::Limit::SharedMemory ? "exceeds-shared-memory"
                                                              : "exceeds-invocations";
    r.message = describe(excess, options.target);
    remarks.push_back(std::move(r));
  }
}

/// What a verification reads besides the scenario: data, and the other shaders of its dispatches.
std::vector<std::string> filesOf(const Scenario& scenario, const std::string& input) {
  std::vector<std::string> files;
  for (const ScenarioBuffer& buffer : scenario.buffers)
    if (const auto* fill = std::get_if<FillFile>(&buffer.fill)) files.push_back(fill->path);
  for (const ScenarioShader* shader : shadersOfProgram(scenario))
    if (!isSameFile(shader->path, input)) files.push_back(shader->path);
  return files;
}

std::string statsText(const std::string& name, const LoadedModule& module,
                      const PipelineOutcome& outcome, size_t steps) {
  std::map<std::string, std::pair<uint32_t, uint32_t>> byPass; // applied, missed
  for (const Remark& r : outcome.remarks) {
    if (r.kind == Remark::Kind::Applied) byPass[r.pass].first += r.count;
    if (r.kind == Remark::Kind::Missed) byPass[r.pass].second += r.count;
  }
  std::string text =
      fmt::format("{}: {} -> {} words, {} passes ran, {} Lanewise passes kept\n", name,
                  module.words().size(), outcome.words.size(), steps, outcome.keptPasses);
  for (const auto& [pass, counts] : byPass)
    text += fmt::format("  {:<32} {:>5} applied {:>5} missed\n", pass, counts.first, counts.second);
  return text;
}

std::string timesText(const std::string& name, const PipelineOutcome& outcome) {
  double total = 0;
  for (const StepTime& t : outcome.times) total += t.milliseconds;
  std::string text = fmt::format("{}: {:.3f} ms in passes and validation\n", name, total);
  for (const StepTime& t : outcome.times)
    text += fmt::format("  {:>10.3f} ms {:>5.1f}%  {}\n", t.milliseconds,
                        total > 0 ? 100 * t.milliseconds / total : 0, t.what);
  return text;
}

/// The summary of a verification: one of the JSON remarks, or text that stands behind the remarks;
/// a line where nothing is to be looked at and who asks wants it quiet.
std::string verificationText(const std::string& name, const VerifySummary& summary,
                             ReportFormat format, bool isQuiet, SourceTexts* texts,
                             uint32_t columns) {
  std::string_view state = summary.isVerified ? "verified" : "unverified";
  std::string reason = summary.reason;
  if (summary.isVerified && !summary.report) reason = "the module is unchanged";
  if (format == ReportFormat::Json)
    return verificationAsJson(name, state, reason, summary.report ? &*summary.report : nullptr);
  const bool hasFindings =
      summary.foundDifference ||
      (summary.report && summary.report->state == VerifyState::OriginalUnsound);
  const bool isWhole = summary.report && (!isQuiet || hasFindings);
  std::string inText = isWhole ? "" : ": " + reason; // a report begins with it
  std::string text = fmt::format("{}: {}{}\n", name, state, inText);
  if (isWhole) text += formatReport(*summary.report, texts, columns);
  return text;
}

bool isPrinted(const Remark& remark, RemarkFilter filter) {
  const Remark::Kind kind = remark.kind;
  switch (filter) {
  case RemarkFilter::All:
    return true;
  case RemarkFilter::Missed:
    return kind == Remark::Kind::Missed || kind == Remark::Kind::Warning;
  case RemarkFilter::Applied:
    return kind == Remark::Kind::Applied || kind == Remark::Kind::Warning;
  case RemarkFilter::Summary:
    // Of the notes those that speak of the module as a whole.
    return kind != Remark::Kind::Missed && (kind != Remark::Kind::Note || remark.function.empty());
  case RemarkFilter::Warnings:
    return kind == Remark::Kind::Warning;
  case RemarkFilter::None:
    return false;
  }
  return true;
}

/// Whether anybody gets to see why rewrites were not made.
bool explainsMissed(const OptOptions& options) {
  return options.remarks == RemarkFilter::All || options.remarks == RemarkFilter::Missed ||
         !options.html.empty();
}

/// Whether anybody gets to see the rewrites that were made, and not only how many.
bool explainsApplied(const OptOptions& options) {
  return options.remarks == RemarkFilter::All || options.remarks == RemarkFilter::Applied ||
         options.remarks == RemarkFilter::Summary || !options.html.empty();
}

class InputOptimizer {
public:
  InputOptimizer(const std::string& input, const std::string& output, const OptOptions& options,
                 Verifier* verifier, std::ostream& log, const std::string* contents)
      : input_(input), output_(output), options_(options), verifier_(verifier), log_(log),
        contents_(contents) {}

  OptimizedInput run() {
    one_.exitCode = load();
    return std::move(one_);
  }

private:
  int fail(std::string_view message) {
    one_.failure = message;
    one_.output.files.clear();
    return kBadUsageOrInput;
  }

  int load() {
    PipelineOptions pipeline = options_.pipeline;
    LoadOptions load = options_.load;
    std::optional<ScenarioFor> scenario;
    if (options_.scenario.isGiven()) {
      Result<ScenarioFor> read = readScenarioFor(options_, input_);
      if (!read) return fail(read.error().message);
      scenario = std::move(*read);
      load = scenario->shaders.optionsForStandIn(scenario->shader());
      pipeline.target.setSubgroupSize(scenario->shader().subgroupSize);
    }
    load.isValidated = options_.verify; // a device is given nothing that is not
    Result<LoadedModule> module = loadModule(input_, load, contents_);
    if (!module) return fail(module.error().message);
    one_.module = std::move(*module);
    isEnvGiven_ = load.env.has_value();
    if (scenario && options_.verify)
      for (std::string& file : filesOf(scenario->scenario(), input_))
        one_.module.dependencies.push_back(std::move(file));
    for (const std::string& warning : one_.module.warnings)
      one_.output.standardError += warning + "\n";
    if (Status s = takeConstants(scenario ? &*scenario : nullptr, pipeline); !s)
      return fail(s.error().message);
    if (scenario && changesLayouts(options_.steps)) return optimizeWithScenario(*scenario);
    return optimize(scenario ? &*scenario : nullptr, std::move(pipeline));
  }

  /// The command line's go before the scenario's.
  Status takeConstants(const ScenarioFor* scenario, PipelineOptions& pipeline) {
    const Module& module = *one_.module.read;
    Result<Assumptions> given = options_.constants.assumptionsFor(module, pipeline.assumptions);
    if (!given) return failure(fmt::format("{}: {}", input_, given.error().message));
    pipeline.assumptions = one_.given = std::move(*given);
    if (!scenario) return ok();
    Result<Assumptions> all =
        ScenarioShaders::assumptionsFor(scenario->shader(), module, pipeline.assumptions);
    if (!all) return failure(fmt::format("{}: {}", options_.scenario.path, all.error().message));
    pipeline.assumptions = std::move(*all);
    return ok();
  }

  /// Passes rely on what our checker checks: where it has something against the module, none runs.
  std::span<const PipelineStep> steps() const {
    if (!one_.module.doubt.empty()) return {};
    return tuned_.steps ? *tuned_.steps : options_.steps;
  }

  /// --tuning: the passes that the file has for this module, and what they count with.
  Status useTuned(PipelineOptions& pipeline) {
    if (!options_.tuning.isGiven()) return ok();
    Result<TunedPipeline> tuned = tunedPipeline(options_.tuning, writtenWords(one_.module.words()),
                                                *one_.module.read, pipeline);
    if (!tuned) return tuned.error();
    tuned_ = std::move(*tuned);
    return ok();
  }

  /// Without the lines of compiled source.
  Words writtenWords(const Words& words) const {
    return one_.module.isSource() ? stripLines(words) : words;
  }

  Result<PipelineOutcome> runSteps(const PipelineOptions& pipeline) {
    if (tuned_.frozen && one_.module.doubt.empty())
      return runPipeline(*tuned_.frozen, steps(), pipeline);
    return runPipeline(one_.module.read.take(), steps(), pipeline);
  }

  /// Where the passes come from, and whether they made what was measured.
  void addTuningRemarks() {
    if (!options_.tuning.isGiven()) return;
    Remarks& remarks = one_.outcome.remarks;
    remarks.insert(remarks.begin(), tuned_.remark);
    const bool mayDiffer = options_.verify || options_.pipeline.whyDearer;
    if (mayDiffer) return; // passes may have been undone, which is said
    if (auto warning = notAsMeasured(tuned_, writtenWords(one_.outcome.words)))
      remarks.push_back(std::move(*warning));
  }

  /// Lets the passes count with what is recorded of the module, and says so.
  Status useRecorded(PipelineOptions& pipeline) {
    if (!options_.pipelines.isGiven()) return ok();
    const Module& module = *one_.module.read;
    const Result<std::vector<PipelineSet>> sets =
        setsOf(*options_.pipelines.pipelines, input_, module.words(), module, options_.load.entry,
               pipeline.assumptions);
    if (!sets) return sets.error();
    const size_t chosen = cheapestSet(module, steps(), pipeline, *sets);
    if (!sets->empty()) countWith((*sets)[chosen], pipeline);
    recorded_ = recordedRemark(*sets, chosen, options_.pipelines.path);
    return ok();
  }

  int optimize(const ScenarioFor* scenario, PipelineOptions pipeline) {
    prepareFor(one_.module, log_, pipeline);
    pipeline.isEnvGiven = isEnvGiven_;
    pipeline.explainsMissed = explainsMissed(options_);
    pipeline.explainsApplied = explainsApplied(options_);
    if (Status s = useRecorded(pipeline); !s)
      return fail(fmt::format("{}: {}", input_, s.error().message));
    if (Status s = useTuned(pipeline); !s)
      return fail(fmt::format("{}: {}", input_, s.error().message));
    std::unique_ptr<OptVerification> verification;
    if (options_.verify) {
      counted_ = options_;
      counted_.pipeline.assumptions = pipeline.assumptions;
      Result<std::unique_ptr<OptVerification>> v =
          OptVerification::create(*verifier_, counted_, scenario, one_.module.words());
      if (!v) return fail(v.error().message);
      verification = std::move(*v);
      pipeline.judge = [&](const PassInfo& pass, const Words& before, const Words& after,
                           const LayoutManifest& layouts, Remark& remark) {
        return verification->judge(pass, before, after, layouts, remark);
      };
    }
    Result<PipelineOutcome> outcome = runSteps(pipeline);
    if (!outcome) return fail(fmt::format("{}: {}", input_, outcome.error().str()));
    one_.outcome = std::move(*outcome);
    keepIfCheaper(pipeline);
    if (recorded_) one_.outcome.remarks.insert(one_.outcome.remarks.begin(), *recorded_);
    addTuningRemarks();
    if (!one_.module.doubt.empty() && !options_.steps.empty())
      one_.outcome.remarks.push_back(doubtful(one_.module.doubt));
    if (verification) {
      Result<VerifySummary> finished =
          verification->finish(one_.outcome.words, one_.outcome.layouts, one_.outcome.remarks);
      if (!finished) return fail(finished.error().message);
      one_.verification = std::move(*finished);
    }
    return finish();
  }

  /// With --keep-if=cheaper the whole must be no dearer than the input, canonical passes included.
  void keepIfCheaper(const PipelineOptions& pipeline) {
    PipelineOutcome& outcome = one_.outcome;
    if (!pipeline.whyDearer || outcome.words == one_.module.words()) return;
    const std::optional<std::string> why =
        pipeline.whyDearer(one_.module.words(), outcome.words, pipeline.assumptions);
    if (!why) return;
    outcome.words = one_.module.words();
    outcome.layouts = {};
    outcome.keptPasses = 0;
    Remark r;
    r.kind = Remark::Kind::Warning;
    r.pass = "keep-if";
    r.name = "not-cheaper";
    r.message = fmt::format("the module was left as it was: {}", *why);
    outcome.remarks.push_back(std::move(r));
  }

  /// One shader that changes the layout of its buffers: what the scenario knows of them counts.
  int optimizeWithScenario(const ScenarioFor& scenario) {
    if (scenario.shaders.used().size() != 1)
      return fail(
          fmt::format("{}: --aos-to-soa changes what all shaders of a scenario share; leave "
                      "INPUT out to take all of {}",
                      input_, options_.scenario.path));
    std::vector<ProgramModule> modules(1);
    modules[0].shader = scenario.shaders.used().front();
    modules[0].module = one_.module;
    Result<OptimizedProgram> program =
        optimizeProgram(scenario.shaders, std::move(modules), options_, verifier_, log_);
    if (!program) return fail(program.error().message);
    one_.outcome = std::move(program->modules.front().outcome);
    one_.outcome.layouts = std::move(program->layouts);
    std::move(program->remarks.begin(), program->remarks.end(),
              std::back_inserter(one_.outcome.remarks));
    if (options_.verify) one_.verification = std::move(program->verification);
    return finish();
  }

  /// Adds what is to be written and said. The exit code.
  int finish() {
    PipelineOutcome& outcome = one_.outcome;
    const VerifySummary* summary = one_.verification ? &*one_.verification : nullptr;
    int exitCode = summary && summary->foundDifference ? kFoundSomething : kDone;
    if (summary && !summary->isVerified && options_.requiresVerified) {
      outcome.words = one_.module.words();
      outcome.layouts = {};
      exitCode = kFoundSomething;
    }
    if (!outcome.layouts.buffers.empty() && options_.layoutManifest.empty())
      outcome.remarks.push_back(manifestMissing());
    addExceededLimits(outcome.words, options_.pipeline, one_.given, outcome.remarks);
    if (Status s = addModule(input_, output_, one_.module, outcome, options_, one_.output); !s)
      return fail(fmt::format("{}: {}", input_, s.error().message));
    if (!options_.layoutManifest.empty())
      one_.output.files.push_back({options_.layoutManifest, layoutManifestToJson(outcome.layouts)});
    addReport(input_ == "-" ? "<stdin>" : input_, &one_.module, outcome, summary, options_,
              one_.output);
    return exitCode;
  }

  const std::string& input_;
  const std::string& output_;
  const OptOptions& options_;
  Verifier* verifier_;
  std::ostream& log_;
  const std::string* contents_;
  bool isEnvGiven_ = false;
  OptOptions counted_; ///< with --verify: with the constants that the passes count with
  std::optional<Remark> recorded_;
  TunedPipeline tuned_; ///< --tuning
  OptimizedInput one_;
};

} // namespace

OptimizedInput optimizeInput(const std::string& input, const std::string& output,
                             const OptOptions& options, Verifier* verifier, std::ostream& log,
                             const std::string* contents) {
  return InputOptimizer(input, output, options, verifier, log, contents).run();
}

void prepareFor(const LoadedModule& module, std::ostream& log, PipelineOptions& pipeline) {
  pipeline.env = module.env;
  pipeline.isInputValid = module.isValidated;
  pipeline.log = &log;
  pipeline.runSpirvOpt = runSpirvOpt;
  pipeline.validate = validateWords;
  if (defaultValidation().isOff)
    pipeline.validate = [env = module.env](std::span<const uint32_t>,
                                           std::optional<spv_target_env> given) {
      return Result<Validated>(Validated{given.value_or(env), {}, {}});
    };
  pipeline.unknownToSpirvOpt = unknownToParser;
}

Status addModule(const std::string& input, std::string out, const LoadedModule& module,
                 PipelineOutcome& outcome, const OptOptions& options, CommandOutput& output) {
  bool isStripped = module.isSource() && !options.keepLines;
  if (options.wantsDiff) {
    Result<std::string> before =
        disassemble(isStripped ? stripLines(module.words()) : module.words(), TextHeader::No);
    if (!before) return before.error();
    Result<std::string> after =
        disassemble(isStripped ? stripLines(outcome.words) : outcome.words, TextHeader::No);
    if (!after) return after.error();
    output.standardOutput += unifiedDiff(*before, *after, input, input + " (optimized)");
  }
  if (isStripped) outcome.words = stripLines(outcome.words);
  if (out.empty()) return ok();
  std::string bytes;
  if (options.asText) {
    Result<std::string> text = disassemble(
        outcome.words, TextHeader::Yes, options.hasRawIds ? IdNames::Numbers : IdNames::Friendly);
    if (!text) return text.error();
    bytes = std::move(*text);
  } else {
    bytes = bytesOf(outcome.words);
  }
  if (options.depfile.isWanted) {
    Result<std::string> depfile = depfileText(out, input, module.dependencies, options);
    if (!depfile) return depfile.error();
    output.files.push_back({options.depfile.pathFor(out), std::move(*depfile)});
  }
  output.files.push_back({std::move(out), std::move(bytes)});
  return ok();
}

void addReport(const std::string& name, const LoadedModule* module, const PipelineOutcome& outcome,
               const VerifySummary* verification, const OptOptions& options,
               CommandOutput& output) {
  const bool isJson = options.format == ReportFormat::Json;
  const bool isSummary = options.remarks == RemarkFilter::Summary;
  const bool hasPlaces = std::any_of(outcome.remarks.begin(), outcome.remarks.end(),
                                     [](const Remark& r) { return r.location.line != 0; });
  SourceTexts sources;
  SourceTexts* const texts = module && !isJson ? &sources : nullptr;
  if (texts && (hasPlaces || verification))
    if (Result<Module> read = Module::read(module->words())) sources.add(*read);
  const auto textOf = [&](const Remark& r, uint32_t times) {
    const bool hasQuote = options.quotesSource || r.kind == Remark::Kind::Warning;
    return remarkAsText(r, name, isSummary ? RemarkDetails::No : RemarkDetails::Yes,
                        hasQuote ? texts : nullptr, options.columns, times);
  };
  struct Told {
    const Remark* remark = nullptr;
    uint32_t times = 0;
  };
  // Of one line that was unrolled or inlined often people read once.
  std::map<std::string, Told> known;
  std::vector<std::map<std::string, Told>::const_iterator> inOrder;
  for (const Remark& r : outcome.remarks) {
    if (!isPrinted(r, options.remarks)) continue;
    if (isJson) {
      output.remarks += remarkAsJson(r, name);
      continue;
    }
    const auto [at, isNew] = known.try_emplace(textOf(r, 1), Told{&r, 0});
    if (isNew) inOrder.push_back(at);
    ++at->second.times;
  }
  for (const auto& one : inOrder) {
    const auto& [text, told] = *one;
    output.remarks += told.times == 1 ? text : textOf(*told.remark, told.times);
  }
  if (isSummary) output.remarks += missedAsText(outcome.remarks, name);
  std::string summary;
  const bool isNews = verification && (!verification->isVerified || verification->foundDifference);
  if (verification && (isNews || isJson || !options.isQuiet))
    summary = verificationText(name, *verification, options.format, options.isQuiet, texts,
                               options.columns);
  if (isJson) output.remarks += std::exchange(summary, {});
  if (options.remarksFile.empty()) output.standardError += std::exchange(output.remarks, {});
  output.standardError += summary;
  if (module && options.hasStats)
    output.standardError += statsText(name, *module, outcome, options.steps.size());
  if (module && options.pipeline.hasTimeReport) output.standardError += timesText(name, outcome);
}

Result<std::string> depfileText(const std::string& out, const std::string& input,
                                const std::vector<std::string>& includes,
                                const OptOptions& options) {
  std::vector<std::string> files;
  if (input != "-") files.push_back(input);
  files.insert(files.end(), includes.begin(), includes.end());
  for (const std::string& file :
       {options.scenario.path, options.load.projectFile, options.pipelines.path})
    if (!file.empty()) files.push_back(file);
  for (const std::string& file : options.tuning.files()) files.push_back(file);
  if (options.targetName.ends_with(".toml")) files.push_back(options.targetName);
  return depfileText(options.depfile.target.empty() ? out : options.depfile.target, files,
                     options.depfile.hasPhony);
}

} // namespace lanewise::driver
