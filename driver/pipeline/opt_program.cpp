#include "pipeline/opt_program.h"

#include "pipeline/optimize_input.h"
#include "planning/layout_plan.h"
#include "support/failure.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <ostream>
#include <set>

namespace lanewise::driver {

namespace {

bool isLayoutStep(const PipelineStep& step) {
  return step.pass && step.pass->flag == kBufferLayoutPass;
}

/// Which buffers are bound where, and which of them must therefore have one layout: a shader that
/// is dispatched with A and then with B at one binding sees both.
class SharedBuffers {
public:
  SharedBuffers(const Scenario& scenario, std::span<const ProgramModule> modules)
      : scenario_(scenario), parent_(scenario.buffers.size()) {
    std::iota(parent_.begin(), parent_.end(), size_t(0));
    for (const ScenarioDispatch& dispatch : scenario.dispatches)
      for (size_t m = 0; m < modules.size(); ++m)
        if (modules[m].shader->name == dispatch.shader) {
          std::set<size_t> inDispatch;
          for (const ScenarioBinding& binding : dispatch.bindings)
            if (const auto b = bind(m, binding); b && !inDispatch.insert(*b).second)
              boundTwice_.insert(*b);
        }
  }

  std::vector<ProgramBuffer> collect() {
    std::map<size_t, ProgramBuffer> byRoot;
    std::map<size_t, std::string> fixed;
    for (const ScenarioDispatch& dispatch : scenario_.dispatches)
      for (size_t b = 0; b < scenario_.buffers.size(); ++b)
        if (dispatch.indirect && dispatch.indirect->buffer == scenario_.buffers[b].name)
          fixed.emplace(rootOf(b), "the device itself reads counts of workgroups there");
    for (const SequenceCopy& copy : scenario_.copies)
      for (size_t b : {copy.copy.from, copy.copy.to})
        fixed.emplace(rootOf(b), "a copy moves its bytes as they lie");
    for (size_t b = 0; b < scenario_.buffers.size(); ++b)
      if (scenario_.buffers[b].isExclusive)
        fixed.emplace(rootOf(b), "queue families pass it to one another as it is");
    for (size_t b = 0; b < scenario_.buffers.size(); ++b) {
      if (seenAt_[b].empty()) continue;
      const ScenarioBuffer& buffer = scenario_.buffers[b];
      ProgramBuffer& shared = byRoot[rootOf(b)];
      if (const auto why = fixed.find(rootOf(b)); why != fixed.end()) shared.fixedBy = why->second;
      ProgramBuffer::Member member{buffer.name, buffer.bytes(), {}};
      for (const auto& [module, at] : seenAt_[b]) {
        member.bindings.push_back(at);
        if (std::find(shared.views.begin(), shared.views.end(), std::pair(module, at)) ==
            shared.views.end())
          shared.views.emplace_back(module, at);
      }
      shared.isBoundTwice = shared.isBoundTwice || boundTwice_.count(b) != 0;
      shared.members.push_back(std::move(member));
    }
    std::vector<ProgramBuffer> buffers;
    for (auto& [root, buffer] : byRoot) {
      buffer.isOnSeveralQueues =
          scenario_.queues && scenario_.queues->queues.size() > 1 && buffer.views.size() > 1;
      buffers.push_back(std::move(buffer));
    }
    return buffers;
  }

private:
  size_t rootOf(size_t b) {
    while (parent_[b] != b) b = parent_[b] = parent_[parent_[b]];
    return b;
  }

  /// The buffer; nothing for an image.
  std::optional<size_t> bind(size_t module, const ScenarioBinding& binding) {
    const auto& buffers = scenario_.buffers;
    const auto found = std::find_if(buffers.begin(), buffers.end(), [&](const ScenarioBuffer& b) {
      return b.name == binding.buffer;
    });
    if (found == buffers.end() || found->image) return std::nullopt;
    const auto b = size_t(found - buffers.begin());
    const std::pair place{module, BindingNumber{binding.set, binding.binding}};
    seenAt_[b].insert(place);
    const auto [first, isNew] = boundAt_.try_emplace(place, b);
    if (isNew) return b;
    // The smaller index stays the root, so that the order of buffers is the scenario's.
    const size_t x = rootOf(first->second), y = rootOf(b);
    parent_[std::max(x, y)] = std::min(x, y);
    return b;
  }

  const Scenario& scenario_;
  std::vector<size_t> parent_;
  std::map<size_t, std::set<std::pair<size_t, BindingNumber>>> seenAt_;
  std::map<std::pair<size_t, BindingNumber>, size_t> boundAt_;
  std::set<size_t> boundTwice_; ///< in one dispatch
};

double workgroupsOf(const Scenario& scenario, const std::string& shader) {
  double sum = 0;
  for (const ScenarioDispatch& d : scenario.dispatches)
    if (d.shader == shader) sum += d.indirect ? 1 : double(d.groups[0]) * d.groups[1] * d.groups[2];
  return sum;
}

/// A module that is looked at while the layouts are decided.
struct ReadModule {
  Assumptions assumptions;
  std::unique_ptr<Module> module;
  std::unique_ptr<Analyses> analyses;
};

class ProgramOptimization {
public:
  ProgramOptimization(const ScenarioShaders& shaders, std::vector<ProgramModule> modules,
                      const OptOptions& options, Verifier* verifier, std::ostream& log)
      : shaders_(shaders), scenario_(shaders.scenario()), options_(options), verifier_(verifier),
        log_(log) {
    program_.modules = std::move(modules);
  }

  Result<OptimizedProgram> run() {
    for (ProgramModule& m : program_.modules) m.outcome.words = m.module.words();
    if (Status s = takeConstants(); !s) return s.error();
    const auto& steps = options_.steps;
    const auto layoutStep = std::find_if(steps.begin(), steps.end(), isLayoutStep);
    const auto split = size_t(layoutStep - steps.begin());
    if (Status s = runSteps(std::span(steps).first(split)); !s) return s.error();
    if (layoutStep != steps.end()) {
      if (Status s = changeLayouts(*layoutStep); !s) return s.error();
      const std::vector<Words> before = allWords();
      if (Status s = runSteps(std::span(steps).subspan(split + 1)); !s) return s.error();
      if (Status s = finish(before); !s) return s.error();
    } else if (Status s = finish(inputs()); !s) {
      return s.error();
    }
    return std::move(program_);
  }

private:
  // ---- the pipeline ----

  Status takeConstants() {
    for (const ProgramModule& m : program_.modules) {
      const Module& module = *m.module.read;
      Result<Assumptions> given =
          options_.constants.assumptionsFor(module, options_.pipeline.assumptions);
      if (!given) return errorIn(m, given.error());
      Result<Assumptions> all =
          ScenarioShaders::assumptionsFor(*m.shader, module, std::move(*given));
      if (!all) return failure(fmt::format("{}: {}", scenario_.path, all.error().message));
      assumptions_[m.shader] = std::move(*all);
    }
    return ok();
  }

  PipelineOptions pipelineFor(const ProgramModule& m) const {
    PipelineOptions pipeline = options_.pipeline;
    pipeline.assumptions = assumptions_.at(m.shader);
    pipeline.target.setSubgroupSize(m.shader->subgroupSize);
    prepareFor(m.module, log_, pipeline);
    pipeline.rewritesBefore = rewrites_;
    return pipeline;
  }

  Error errorIn(const ProgramModule& m, const Error& error) const {
    return failure(fmt::format("{}: {}", m.shader->path, error.str()));
  }

  /// Runs steps on every module and adds to its outcome.
  Status runSteps(std::span<const PipelineStep> steps) {
    for (ProgramModule& m : program_.modules) {
      Result<PipelineOutcome> outcome = runPipeline(m.outcome.words, steps, pipelineFor(m));
      if (!outcome) return errorIn(m, outcome.error());
      append(m.outcome, std::move(*outcome));
    }
    return ok();
  }

  void append(PipelineOutcome& to, PipelineOutcome from) {
    rewrites_ = from.rewrites;
    to.words = std::move(from.words);
    std::move(from.remarks.begin(), from.remarks.end(), std::back_inserter(to.remarks));
    std::move(from.times.begin(), from.times.end(), std::back_inserter(to.times));
    to.keptPasses += from.keptPasses;
  }

  std::vector<Words> inputs() const {
    std::vector<Words> words;
    for (const ProgramModule& m : program_.modules) words.push_back(m.module.words());
    return words;
  }
  std::vector<Words> allWords() const {
    std::vector<Words> words;
    for (const ProgramModule& m : program_.modules) words.push_back(m.outcome.words);
    return words;
  }
  void goBackTo(const std::vector<Words>& words) {
    for (size_t n = 0; n < words.size(); ++n) program_.modules[n].outcome.words = words[n];
  }

  // ---- layouts ----

  Result<LayoutPlan> plan(const PipelineStep& step) {
    std::vector<ReadModule> read(program_.modules.size());
    std::vector<lanewise::ProgramShader> shaders;
    for (size_t n = 0; n < read.size(); ++n) {
      const ProgramModule& m = program_.modules[n];
      Result<Module> module = Module::read(m.outcome.words);
      if (!module) return errorIn(m, module.error());
      read[n].assumptions = pipelineFor(m).assumptions;
      read[n].module = std::make_unique<Module>(std::move(*module));
      read[n].analyses = std::make_unique<Analyses>(*read[n].module, read[n].assumptions);
      shaders.push_back(
          {m.shader->name, read[n].analyses.get(), workgroupsOf(scenario_, m.shader->name)});
    }
    LayoutPlanOptions options = parseLayoutMode(step.mode, options_.pipeline.target);
    options.isRobust = options_.pipeline.isRobust;
    options.narrow = options_.pipeline.narrow;
    const PipelineOptions pipeline = pipelineFor(program_.modules.front());
    options.maySite = [&](std::string_view site) {
      return maySite(pipeline, kBufferLayoutPass, site, rewrites_);
    };
    return planLayouts(shaders, SharedBuffers(scenario_, program_.modules).collect(),
                       options_.pipeline.target, options);
  }

  Status changeLayouts(const PipelineStep& step) {
    Result<LayoutPlan> plan = this->plan(step);
    if (!plan) return plan.error();
    program_.remarks = std::move(plan->remarks);
    if (plan->manifest.buffers.empty()) return ok();
    const std::vector<Words> before = allWords();
    std::string failed;
    for (size_t n = 0; n < program_.modules.size(); ++n) {
      ProgramModule& m = program_.modules[n];
      if (plan->byShader[n].empty()) continue;
      PipelineOptions pipeline = pipelineFor(m);
      pipeline.programLayouts = &plan->byShader[n];
      Result<PipelineOutcome> outcome = runPipeline(m.outcome.words, {&step, 1}, pipeline);
      if (!outcome) return errorIn(m, outcome.error());
      if (outcome->words == before[n]) failed = m.shader->name;
      append(m.outcome, std::move(*outcome));
    }
    program_.layouts = std::move(plan->manifest);
    if (!failed.empty())
      return undo(
          before, "incomplete-program",
          fmt::format("the layouts were undone: shader '{}' could not be rewritten", failed));
    return judge(before);
  }

  Status undo(const std::vector<Words>& before, std::string name, std::string message) {
    goBackTo(before);
    program_.layouts = {};
    // What was said to be applied is not.
    std::erase_if(program_.remarks,
                  [](const Remark& r) { return r.kind == Remark::Kind::Applied; });
    addRemark(std::move(name), std::move(message));
    return ok();
  }

  void addRemark(std::string name, std::string message) {
    Remark r;
    r.kind = Remark::Kind::Warning;
    r.pass = kBufferLayoutPass;
    r.name = std::move(name);
    r.message = std::move(message);
    program_.remarks.push_back(std::move(r));
  }

  /// What findMoved() finds where no output says anything of a pass.
  const RunFinding* moved(const VerifyReport& report, std::string_view pass) const {
    const bool isUnsound = report.state == VerifyState::OriginalUnsound;
    return isUnsound ? findMoved(report, pass, program_.layouts) : nullptr;
  }

  bool hasStep(std::string_view pass) const {
    return std::any_of(options_.steps.begin(), options_.steps.end(),
                       [&](const PipelineStep& s) { return s.pass && s.pass->flag == pass; });
  }

  // ---- verification ----

  Result<VerifyReport> verify() {
    std::vector<ShaderPair> pairs;
    for (const ProgramModule& m : program_.modules)
      pairs.push_back({m.shader->name, m.module.words(), m.outcome.words});
    for (const ScenarioShader& shader : scenario_.shaders) {
      const bool isOurs = std::any_of(pairs.begin(), pairs.end(),
                                      [&](const ShaderPair& p) { return p.name == shader.name; });
      if (isOurs) continue;
      Result<LoadedModule> module = shaders_.load(shader);
      if (!module) return module.error();
      pairs.push_back({shader.name, module->words(), module->words()});
    }
    return verifyLaidOut(*verifier_, scenario_, pairs, program_.layouts);
  }

  /// Keeps the layouts, or goes back to `before`.
  Status judge(const std::vector<Words>& before) {
    if (!verifier_) return ok();
    Result<VerifyReport> report = verify();
    if (!report) return report.error();
    if (report->state == VerifyState::Differs) {
      program_.verification.foundDifference = true;
      return undo(before, "changed-results",
                  fmt::format("the layouts were undone: {}", report->reason));
    }
    if (const RunFinding* found = moved(*report, kBufferLayoutPass)) {
      Remark remark = movedRemark(kBufferLayoutPass, *found);
      return undo(before, std::move(remark.name), std::move(remark.message));
    }
    const bool mustBeFaster = options_.keepIf == KeepIf::Faster && report->isVerified();
    if (mustBeFaster && !(report->timing && report->timing->isFaster()))
      return undo(before, "not-faster",
                  "the layouts were undone: the program is not faster with them");
    return ok();
  }

  /// Verifies what is to be written. When it differs, the modules go back to `before`, and if that
  /// differs too, to the inputs.
  Status finish(const std::vector<Words>& before) {
    if (!verifier_) return ok();
    VerifySummary& summary = program_.verification;
    for (const std::vector<Words>& fallback : {before, inputs()}) {
      if (allWords() == inputs()) {
        summary.isVerified = true;
        program_.layouts = {};
        return ok();
      }
      Result<VerifyReport> report = verify();
      if (!report) return report.error();
      const RunFinding* found =
          hasStep(kSharedLayoutPass) ? moved(*report, kSharedLayoutPass) : nullptr;
      if (report->state != VerifyState::Differs && !found) {
        summary.isVerified = report->isVerified();
        if (!summary.isVerified) summary.reason = report->reason;
        summary.report = std::move(*report);
        return ok();
      }
      if (found) {
        program_.remarks.push_back(movedRemark(kSharedLayoutPass, *found));
      } else {
        summary.foundDifference = true;
        addRemark(
            "changed-results",
            fmt::format("the passes changed the outputs and were undone: {}", report->reason));
      }
      goBackTo(fallback);
    }
    program_.layouts = {};
    summary.isVerified = true; // the inputs
    return ok();
  }

  const ScenarioShaders& shaders_;
  const Scenario& scenario_;
  const OptOptions& options_;
  Verifier* const verifier_;
  std::ostream& log_;
  int64_t rewrites_ = 0; ///< for --bisect-limit, over all pipelines
  std::map<const ScenarioShader*, Assumptions> assumptions_;
  OptimizedProgram program_;
};

} // namespace

bool changesLayouts(std::span<const PipelineStep> steps) {
  return std::any_of(steps.begin(), steps.end(), isLayoutStep);
}

Result<OptimizedProgram> optimizeProgram(const ScenarioShaders& shaders,
                                         std::vector<ProgramModule> modules,
                                         const OptOptions& options, Verifier* verifier,
                                         std::ostream& log) {
  return ProgramOptimization(shaders, std::move(modules), options, verifier, log).run();
}

} // namespace lanewise::driver
