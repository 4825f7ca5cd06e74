#include "pipeline/pipeline.h"

#include "pipeline/unsound_steps.h"
#include "spirv/assembly.h"
#include "support/failure.h"
#include "support/progress_line.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <ostream>
#include <set>
#include <utility>

namespace lanewise::driver {

namespace {

using Clock = std::chrono::steady_clock;

void addTime(const PipelineOptions& options, std::string_view what, Clock::time_point start,
             std::vector<StepTime>& times) {
  if (!options.hasTimeReport) return;
  const std::chrono::duration<double, std::milli> took = Clock::now() - start;
  times.push_back({std::string(what), took.count()});
}

/// An Error also where SPIRV-Tools take a module that our checker has something against: passes
/// rely on what it checks.
Result<Validated> validateTimed(std::span<const uint32_t> words, std::optional<spv_target_env> env,
                                const PipelineOptions& options, std::vector<StepTime>& times) {
  const Clock::time_point start = Clock::now();
  Result<Validated> validated = options.validate(words, env);
  addTime(options, "validation", start, times);
  if (validated && !validated->doubt.empty()) return failure(validated->doubt);
  return validated;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Never changed, so that the module, the last valid one and the last good one can be the same.
using SharedWords = std::shared_ptr<const Words>;

bool isSame(const SharedWords& a, const SharedWords& b) {
  return a == b || *a == *b;
}

PassStep stepOf(const PipelineStep& step) {
  return {step.pass, step.mode, step.onlyAfter};
}

/// What is done about steps that go wrong.
enum class Care : uint8_t {
  Full, ///< results are validated between the steps, and culprits looked for
  None  ///< nothing is validated, and the first failure ends the run
};

class Pipeline {
public:
  /// `module` is the input.
  Pipeline(Module module, const PipelineOptions& options, Care care)
      : options_(options), care_(care), current_(module.sharedWords()),
        runner_(std::move(module),
                {options.target, options.assumptions, options.isRobust, options.narrow,
                 options.programLayouts, options.explainsMissed, options.explainsApplied}),
        lastValid_(current_), lastGood_(current_), rewrites_(options.rewritesBefore) {
    if (care_ == Care::None) lastValid_.reset();
    if (!options_.judge) lastGood_.reset();
  }

  Status run(std::span<const PipelineStep> steps) {
    for (size_t i = 0; i < steps.size();) {
      size_t end = i + 1;
      if (!steps[i].pass)
        while (end < steps.size() && canJoin(steps[end - 1], steps[end])) ++end;
      std::span<const PipelineStep> group = steps.subspan(i, end - i);
      ProgressLine::tell(ProgressLine::Level::Step, group.front().flag);
      if (Status s = printIfAsked(group.front(), true); !s) return s;
      Status s = runSteps(group);
      if (!s) return s;
      if (options_.validateAfterAll)
        if (s = ensureValid(); !s) return s;
      if (s = printIfAsked(group.back(), false); !s) return s;
      i = end;
    }
    return ensureValid();
  }

  PipelineOutcome take() {
    outcome_.words = *current_;
    outcome_.rewrites = rewrites_;
    return std::move(outcome_);
  }

private:
  /// Some of spirv-opt's, or one of ours.
  Status runSteps(std::span<const PipelineStep> group) {
    const PipelineStep& first = group.front();
    if (!first.pass) return runGroup(group);
    return first.pass->isCanonical ? runCanonical(first) : runOurs(first);
  }

  // Grouping.

  bool wantsPrint(const PipelineStep& step, bool before) const {
    return options_.printAll ||
           contains(before ? options_.printBefore : options_.printAfter, step.name());
  }

  bool canJoin(const PipelineStep& last, const PipelineStep& next) const {
    return !next.pass && next.keepInterface == last.keepInterface && !options_.validateAfterAll &&
           !options_.hasTimeReport && !wantsPrint(last, false) && !wantsPrint(next, true);
  }

  Status printIfAsked(const PipelineStep& step, bool before) {
    if (!wantsPrint(step, before) || !options_.log) return ok();
    // Of --print-all what a pass left as it was is not printed again.
    const bool isAsked = contains(before ? options_.printBefore : options_.printAfter, step.name());
    if (!isAsked && lastPrinted_ && isSame(current_, lastPrinted_)) return ok();
    lastPrinted_ = current_;
    Result<std::string> text = disassemble(*current_);
    if (!text) return text.error();
    *options_.log << fmt::format("; *** module {} {} ***\n{}", before ? "before" : "after",
                                 step.name(), *text);
    return ok();
  }

  // spirv-opt's passes.

  Result<Words> callSpirvOpt(const Words& from, std::span<const PipelineStep> steps) {
    std::vector<std::string> flags;
    for (const PipelineStep& s : steps) flags.push_back(s.flag);
    SpirvOptOptions run{options_.env, options_.preserveBindings || steps.front().keepInterface,
                        options_.preserveSpecConstants || steps.front().keepInterface};
    outcome_.ranSpirvOpt = true;
    Clock::time_point start = Clock::now();
    Result<Words> result = options_.runSpirvOpt(from, flags, run);
    std::string what = steps.size() == 1
                           ? std::string(steps.front().name())
                           : fmt::format("{} ... {} ({} passes)", steps.front().name(),
                                         steps.back().name(), steps.size());
    addTime(options_, what, start, outcome_.times);
    return result;
  }

  Result<SharedWords> callAlone(const PipelineStep& step) {
    Result<Words> result = callSpirvOpt(*current_, {&step, 1});
    if (!result) return result.error();
    return std::make_shared<const Words>(std::move(*result));
  }

  Status runGroup(std::span<const PipelineStep> group) {
    if (isSpirvOptLeftOut_) return ok();
    Result<Words> result = callSpirvOpt(*current_, group);
    if (!result)
      if (const std::string unknown = unknownToSpirvOpt(); !unknown.empty())
        return leaveOutSpirvOpt(unknown);
    pending_.insert(pending_.end(), group.begin(), group.end());
    if (!result) return findCulprits();
    setCurrent(std::make_shared<const Words>(std::move(*result)));
    return ok();
  }

  std::string unknownToSpirvOpt() const {
    if (!options_.unknownToSpirvOpt) return {};
    const Result<Module> module = Module::read(*current_);
    if (!module) return {};
    Result<std::string> unknown = options_.unknownToSpirvOpt(*module);
    return unknown ? std::move(*unknown) : std::string();
  }

  Status leaveOutSpirvOpt(const std::string& unknown) {
    const std::string why = fmt::format("{} does not know {}", spirvToolsRelease(), unknown);
    if (options_.strict)
      return failure(
          fmt::format("spirv-opt's passes cannot run: {}, and --strict asks for all", why));
    isSpirvOptLeftOut_ = true;
    addRemark(Remark::Kind::Note, "spirv-opt", "left-out",
              fmt::format("spirv-opt's passes were left out: {}", why));
    return ok();
  }

  Status validateNow(const Words& words) {
    if (care_ == Care::None) return ok();
    const Result<Validated> validated =
        validateTimed(words, options_.env, options_, outcome_.times);
    return validated ? ok() : Status(validated.error());
  }

  /// Makes sure that what the spirv-opt steps made since the last validation is valid.
  Status ensureValid() {
    if (pending_.empty()) return ok();
    if (care_ == Care::Full && !isSame(current_, lastValid_) && !validateNow(*current_))
      return findCulprits();
    acceptAsValid();
    return ok();
  }

  void acceptAsValid() {
    if (care_ == Care::Full) lastValid_ = current_;
    pending_.clear();
  }

  /// Runs the pending steps one at a time from the last valid module, and leaves out those that
  /// fail.
  Status findCulprits() {
    if (care_ == Care::None) return failure("a pass of SPIRV-Tools failed");
    setCurrent(lastValid_);
    for (const PipelineStep& step : std::exchange(pending_, {})) {
      Result<SharedWords> result = step.pass ? runCanonicalAlone(step) : callAlone(step);
      Error error;
      if (!result) {
        error = result.error();
      } else if (!isSame(*result, current_)) {
        if (Status s = validateNow(**result); !s)
          error.message = "wrote an invalid module: " + s.error().str();
      }
      if (error.message.empty()) {
        setCurrent(std::move(*result));
        continue;
      }
      if (step.pass) {
        isRunnerStale_ = true;
        if (Status s = reportFailure(step, error); !s) return s;
        continue;
      }
      if (options_.strict)
        return failure(fmt::format("the SPIRV-Tools pass {} {}", step.flag, error.message));
      addRemark(
          Remark::Kind::Warning, std::string(step.name()), "dropped-pass",
          fmt::format(
              "the SPIRV-Tools pass {} {}; left out (reproduce with '{}' alone on this input, "
              "after the passes before it)",
              step.flag, error.message, step.flag));
    }
    acceptAsValid();
    return ok();
  }

  // Our passes.

  void addRemark(Remark::Kind kind, std::string pass, std::string name, std::string message) {
    Remark r;
    r.kind = kind;
    r.pass = std::move(pass);
    r.name = std::move(name);
    r.message = std::move(message);
    outcome_.remarks.push_back(std::move(r));
  }

  /// What is wrong with us, or more than a module can hold: the module stays as it was before the
  /// pass, and a remark says why.
  Status reportFailure(const PipelineStep& step, const Error& error) {
    return error.isLimit
               ? reportUndone(step, "limit",
                              fmt::format("--{} was undone: {}", step.name(), error.message))
               : reportInternalError(step, error.str());
  }

  Status reportInternalError(const PipelineStep& step, const std::string& why) {
    return reportUndone(
        step, "internal-error",
        fmt::format("internal error in --{}: {}; the pass was undone, please report it",
                    step.name(), why));
  }

  Status reportUndone(const PipelineStep& step, std::string remark, std::string message) {
    if (options_.strict || care_ == Care::None) return failure(std::move(message));
    addRemark(Remark::Kind::Warning, std::string(step.name()), std::move(remark),
              std::move(message));
    return ok();
  }

  Status readCurrent() {
    if (!isRunnerStale_) return ok();
    Result<Module> module = Module::read(*current_);
    if (!module) return module.error();
    runner_.goOnWith(std::move(*module));
    isRunnerStale_ = false;
    return ok();
  }

  void setCurrent(SharedWords words) {
    current_ = std::move(words);
    isRunnerStale_ = true;
  }

  struct OneRun : PassRunner::Outcome {
    SharedWords words; ///< what the pass made, if it changed anything
  };

  Result<OneRun> runOnce(const PipelineStep& step) {
    Clock::time_point start = Clock::now();
    if (Status s = readCurrent(); !s) return s.error();
    Result<PassRunner::Outcome> outcome = runner_.run(stepOf(step), [&](std::string_view site) {
      if (step.pass->isCanonical) return isSelected(options_, step.pass->flag, site);
      if (tooDear_.contains({step.pass, std::string(site)})) return false;
      if (!maySite(options_, step.pass->flag, site, rewrites_)) return false;
      if (options_.whyDearer) sites_.emplace_back(site);
      return true;
    });
    if (!outcome || !outcome->isSkipped) addTime(options_, step.name(), start, outcome_.times);
    if (!outcome) {
      isRunnerStale_ = true;
      return outcome.error();
    }
    OneRun one{std::move(*outcome), {}};
    if (one.changed) one.words = runner_.module().sharedWords();
    return one;
  }

  /// A canonical pass is validated and judged with what comes behind it, as spirv-opt's are.
  Status runCanonical(const PipelineStep& step) {
    Result<OneRun> one = runOnce(step);
    if (!one) return reportFailure(step, one.error());
    append(std::move(one->remarks));
    if (!one->changed) return ok();
    current_ = std::move(one->words);
    pending_.push_back(step);
    return ok();
  }

  Result<SharedWords> runCanonicalAlone(const PipelineStep& step) {
    Result<OneRun> one = runOnce(step);
    if (!one) return one.error();
    return one->changed ? std::move(one->words) : current_;
  }

  Status runOurs(const PipelineStep& step) {
    int64_t rewritesBefore = rewrites_;
    for (int attempt = 0;; ++attempt) {
      sites_.clear();
      Result<OneRun> one = runOnce(step);
      // What the pass starts from must be valid before anything built on it can be trusted.
      if (!one || one->changed) {
        const SharedWords before = current_;
        if (Status s = ensureValid(); !s) return s;
        if (!isSame(current_, before)) {
          rewrites_ = rewritesBefore;
          continue;
        }
      }
      if (!one) return reportFailure(step, one.error());
      if (!one->changed) {
        append(std::move(one->remarks));
        return ok();
      }
      if (Status s = validateNow(*one->words); !s) {
        isRunnerStale_ = true;
        return reportInternalError(step, "it wrote an invalid module: " + s.error().str());
      }
      if (leaveOutDear(step, *one)) {
        isRunnerStale_ = true;
        rewrites_ = rewritesBefore;
        continue;
      }
      Verdict verdict = judge(step, *one);
      if (verdict == Verdict::InputDiffers && attempt == 0) {
        setCurrent(lastGood_);
        acceptAsValid();
        rewrites_ = rewritesBefore;
        continue;
      }
      return ok();
    }
  }

  /// With a question about cost: whether what the pass did is dearer. Then the sites that make it
  /// so are in tooDear_, and the pass is to run again without them. A pass that rewrote many sites
  /// is asked about them in groups, each beside those that were found good.
  bool leaveOutDear(const PipelineStep& step, const OneRun& one) {
    if (!options_.whyDearer) return false;
    std::optional<std::string> why =
        options_.whyDearer(*current_, *one.words, options_.assumptions);
    if (!why) return false;
    constexpr size_t kMostQuestions = 32;
    const std::vector<std::string> all = std::exchange(sites_, {});
    if (all.empty()) return false; // nothing that could be left alone
    const int64_t rewrites = rewrites_;
    const size_t group = (all.size() + kMostQuestions - 1) / kMostQuestions;
    for (const std::string& site : all) tooDear_.insert({step.pass, site});
    SharedWords best = current_;
    for (size_t first = 0; all.size() > 1 && first < all.size(); first += group) {
      const auto sites = std::span(all).subspan(first, std::min(group, all.size() - first));
      for (const std::string& site : sites) tooDear_.erase({step.pass, site});
      isRunnerStale_ = true;
      rewrites_ = rewrites;
      Result<OneRun> with = runOnce(step);
      std::optional<std::string> whyNot;
      if (!with || !with->changed)
        whyNot = "it changes nothing without the others";
      else
        whyNot = options_.whyDearer(*best, *with->words, options_.assumptions);
      if (!whyNot) {
        best = with->words;
        continue;
      }
      for (const std::string& site : sites) {
        tooDear_.insert({step.pass, site});
        addTooDear(step, site, *whyNot);
      }
    }
    if (all.size() == 1) addTooDear(step, all.front(), *why);
    return true;
  }

  void addTooDear(const PipelineStep& step, const std::string& site, const std::string& why) {
    addRemark(Remark::Kind::Warning, std::string(step.name()), "not-cheaper",
              fmt::format("--{} on {} was undone: {}", step.name(), site, why));
  }

  Verdict judge(const PipelineStep& step, OneRun& one) {
    Remark reason;
    reason.kind = Remark::Kind::Warning;
    reason.pass = step.name();
    const LayoutManifest& layouts = one.layouts.buffers.empty() ? outcome_.layouts : one.layouts;
    Verdict verdict = options_.judge
                          ? options_.judge(*step.pass, *current_, *one.words, layouts, reason)
                          : Verdict::Keep;
    if (verdict == Verdict::Keep) {
      current_ = std::move(one.words);
      acceptAsValid();
      if (options_.judge) lastGood_ = current_;
      ++outcome_.keptPasses;
      if (!one.layouts.buffers.empty()) outcome_.layouts = std::move(one.layouts);
      append(std::move(one.remarks));
    } else {
      isRunnerStale_ = true;
    }
    if (!reason.message.empty()) outcome_.remarks.push_back(std::move(reason));
    return verdict;
  }

  void append(Remarks remarks) {
    if (outcome_.remarks.empty()) {
      outcome_.remarks = std::move(remarks);
      return;
    }
    std::move(remarks.begin(), remarks.end(), std::back_inserter(outcome_.remarks));
  }

  const PipelineOptions& options_;
  const Care care_;
  SharedWords current_;
  PassRunner runner_;
  bool isRunnerStale_ = false; ///< its module is not current_
  SharedWords lastPrinted_;    ///< null: none yet
  /// Validated; pending_ leads from here to current_. Null where nobody goes back.
  SharedWords lastValid_;
  SharedWords lastGood_; ///< the input, or the last module that the judge kept; null without one
  std::vector<PipelineStep> pending_;
  int64_t rewrites_;
  std::vector<std::string> sites_;                            ///< that the running pass rewrites
  std::set<std::pair<const PassInfo*, std::string>> tooDear_; ///< sites to leave alone
  bool isSpirvOptLeftOut_ = false;
  PipelineOutcome outcome_;
};

} // namespace

std::string_view PipelineStep::name() const {
  if (pass) return pass->flag;
  std::string_view text = flag;
  text.remove_prefix(std::min(text.find_first_not_of('-'), text.size()));
  return text.substr(0, text.find('='));
}

bool isSelected(const PipelineOptions& options, std::string_view pass, std::string_view site) {
  if (options.onSite) options.onSite(pass, site);
  auto matches = [&](const SiteFilter& f) { return f.pass == pass && matchesGlob(f.glob, site); };
  bool isLimited = std::any_of(options.only.begin(), options.only.end(),
                               [&](const SiteFilter& f) { return f.pass == pass; });
  if (isLimited && std::none_of(options.only.begin(), options.only.end(), matches)) return false;
  return std::none_of(options.skip.begin(), options.skip.end(), matches);
}

bool maySite(const PipelineOptions& options, std::string_view pass, std::string_view site,
             int64_t& rewrites) {
  if (!isSelected(options, pass, site)) return false;
  if (options.bisectLimit < 0) return true;
  const bool isAllowed = ++rewrites <= options.bisectLimit;
  if (options.log)
    *options.log << fmt::format("BISECT: {} rewrite ({}) {} on '{}'\n",
                                isAllowed ? "running" : "NOT running", rewrites, pass, site);
  return isAllowed;
}

bool matchesGlob(std::string_view glob, std::string_view text) {
  size_t g = 0, t = 0;
  size_t star = std::string_view::npos, starText = 0; // where to go back to: behind the last '*'
  while (t < text.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      starText = t;
    } else if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t])) {
      ++g, ++t;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      t = ++starText;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', g) == std::string_view::npos;
}

namespace {

/// What the letters in a pass's values stand for, "" where there are none.
std::string_view numbersIn(std::string_view values) {
  if (values.find(":N") != values.npos) return ", N from 1 on";
  if (values.find("X,Y,Z") != values.npos) return ", each number from 1 on";
  return {};
}

} // namespace

Result<std::optional<PipelineStep>> parseStep(const std::string& argument) {
  std::optional<PipelineStep> none;
  if (!argument.starts_with("--") || argument.size() < 3) return none;
  size_t equals = argument.find('=');
  std::string name = argument.substr(2, equals == std::string::npos ? equals : equals - 2);
  if (const PassInfo* pass = findPass(name)) {
    std::string mode(equals == std::string::npos ? pass->defaultValue()
                                                 : argument.substr(equals + 1));
    if (equals != std::string::npos && !pass->acceptsValue(mode))
      return Error{pass->values.empty()
                       ? fmt::format("--{} takes no value", name)
                       : fmt::format("--{} does not take '{}'; it takes {}{}", name, mode,
                                     pass->values, numbersIn(pass->values)),
                   {},
                   0,
                   {}};
    return std::optional(PipelineStep{argument, pass, mode, false});
  }
  if (acceptsSpirvOptFlag(argument))
    return std::optional(PipelineStep{argument, nullptr, {}, false});
  return none;
}

Remark notValidatedRemark(const std::string& unknown) {
  Remark r;
  r.kind = Remark::Kind::Note;
  r.pass = "validation";
  r.name = "not-validated";
  r.message = notValidated(unknown);
  return r;
}

namespace {

/// What is printed while passes run must not be printed twice.
bool tellsAsItGoes(const PipelineOptions& options) {
  return options.printAll || !options.printBefore.empty() || !options.printAfter.empty() ||
         options.bisectLimit >= 0;
}

Result<PipelineOutcome> runValidated(Module input, std::span<const PipelineStep> steps,
                                     const PipelineOptions& options) {
  Pipeline pipeline(std::move(input), options, Care::Full);
  if (Status s = pipeline.run(steps); !s) return s.error();
  return pipeline.take();
}

/// The steps, and one validation of what they made. Nothing where something went wrong.
std::optional<PipelineOutcome> runUnvalidated(Module input, std::span<const PipelineStep> steps,
                                              std::optional<spv_target_env> env,
                                              const PipelineOptions& options) {
  const SharedWords words = input.sharedWords();
  Pipeline pipeline(std::move(input), options, Care::None);
  if (!pipeline.run(steps)) return {};
  PipelineOutcome outcome = pipeline.take();
  const Result<Validated> after = validateTimed(outcome.words, env, options, outcome.times);
  if (!after) return {};
  // Valid, but not in the environment that the input probably is valid in.
  if (after->env != options.env && outcome.words != *words) {
    const Result<Validated> before = validateTimed(*words, env, options, outcome.times);
    if (!before || before->env != after->env) return {};
  }
  if (!after->unknown.empty()) outcome.remarks.push_back(notValidatedRemark(after->unknown));
  return outcome;
}

Result<PipelineOutcome> runOnUnvalidated(Module input, std::span<const PipelineStep> steps,
                                         const PipelineOptions& options) {
  const SharedWords words = input.sharedWords();
  const auto env = options.isEnvGiven ? std::optional(options.env) : std::nullopt;
  if (!tellsAsItGoes(options) && !options.validateAfterAll)
    if (std::optional<PipelineOutcome> outcome =
            runUnvalidated(std::move(input), steps, env, options))
      return std::move(*outcome);
  std::vector<StepTime> times;
  const Result<Validated> validated = validateTimed(*words, env, options, times);
  if (!validated) return validated.error();
  PipelineOptions again = options;
  again.env = validated->env;
  Result<PipelineOutcome> outcome =
      runValidated(std::move(*Module::read(*words)), steps, again); // it was read before
  if (!outcome) return outcome;
  outcome->times.insert(outcome->times.begin(), times.begin(), times.end());
  if (!validated->unknown.empty())
    outcome->remarks.push_back(notValidatedRemark(validated->unknown));
  return outcome;
}

} // namespace

Result<PipelineOutcome> runPipeline(Words input, std::span<const PipelineStep> steps,
                                    const PipelineOptions& options) {
  Result<Module> module = Module::read(std::move(input));
  if (!module) return module.error();
  return runPipeline(std::move(*module), steps, options);
}

Result<PipelineOutcome> runPipeline(Module input, std::span<const PipelineStep> steps,
                                    const PipelineOptions& options) {
  std::optional<Remark> untouchable;
  if (!steps.empty()) untouchable = whyUntouchable(input, steps.front().name());
  if (untouchable) steps = {};
  std::optional<SoundSteps> sound = leaveOutUnsoundSteps(input, steps);
  if (sound) steps = sound->steps;
  Result<PipelineOutcome> outcome = options.isInputValid
                                        ? runValidated(std::move(input), steps, options)
                                        : runOnUnvalidated(std::move(input), steps, options);
  if (outcome && untouchable) outcome->remarks.push_back(std::move(*untouchable));
  if (outcome && sound) outcome->remarks.push_back(std::move(sound->note));
  return outcome;
}

} // namespace lanewise::driver
