#include "pipeline/opt_verify.h"

#include "support/failure.h"
#include "support/files.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace lanewise::driver {

namespace {

std::string firstDifference(const VerifyReport& report) {
  if (report.differences.empty()) return report.reason;
  const BufferDifference& d = report.differences.front();
  std::string text =
      fmt::format("{} of {} elements of '{}' differ, the first at {}: {} became {}", d.differing,
                  d.elements, d.buffer, d.firstIndex, d.original, d.transformed);
  for (const std::string& line : detailsOf(d, "the input", "the result")) text += "; " + line;
  for (const RunFinding& finding : report.findings)
    if (finding.decides)
      return text + "; the input itself has a fault, which may be the cause: " + finding.text;
  return text;
}

std::string nameOfBlame(std::string_view whose) {
  return whose == "spirv-opt" ? "spirv-opt-changed-results" : "canonical-changed-results";
}

} // namespace

std::string_view passesBetween(std::span<const PipelineStep> steps) {
  const bool hasSpirvOpt =
      std::ranges::any_of(steps, [](const PipelineStep& s) { return !s.pass; });
  const bool hasCanonical = std::ranges::any_of(
      steps, [](const PipelineStep& s) { return s.pass && s.pass->isCanonical; });
  if (!hasSpirvOpt) return "canonical";
  return hasCanonical ? "canonical and spirv-opt" : "spirv-opt";
}

const RunFinding* findMoved(const VerifyReport& report, std::string_view pass,
                            const LayoutManifest& layouts) {
  using Kind = MemoryPlace::Kind;
  for (const RunFinding& found : report.findings) {
    if (found.kind != "out-of-range" || !found.decides) continue;
    if (found.memory.kind == Kind::Workgroup && pass == kSharedLayoutPass) return &found;
    const BindingNumber at{found.memory.set, found.memory.binding};
    for (const BufferLayout& layout : layouts.buffers)
      if (found.memory.kind == Kind::Buffer && pass == kBufferLayoutPass &&
          std::find(layout.bindings.begin(), layout.bindings.end(), at) != layout.bindings.end())
        return &found;
  }
  return nullptr;
}

Remark movedRemark(std::string_view pass, const RunFinding& found) {
  Remark remark;
  remark.kind = Remark::Kind::Warning;
  remark.pass = pass;
  remark.name = "moved-out-of-range";
  remark.message = fmt::format("--{} was undone: the original indexes out of bounds, and would "
                               "find something else there after the pass: {}",
                               pass, found.text);
  return remark;
}

Result<VerifyReport> verifyLaidOut(Verifier& verifier, const Scenario& scenario,
                                   std::span<const ShaderPair> pairs,
                                   const LayoutManifest& layouts) {
  std::array<ProgramVariant, 2> programs;
  programs[0].name = "original";
  programs[1].name = "transformed";
  programs[1].layouts = layouts;
  for (const ShaderPair& pair : pairs) {
    programs[0].modules[pair.name] = pair.original;
    programs[1].modules[pair.name] = pair.transformed;
  }
  return verifier.verifyPrograms(scenario, programs);
}

Result<ScenarioFor> readScenarioFor(const OptOptions& options, const std::string& input) {
  Result<ScenarioShaders> shaders = ScenarioShaders::read(options.scenario, options.load);
  if (!shaders) return shaders.error();
  ScenarioFor s{std::move(*shaders)};
  // What was compiled from a shader's file stands for it, as it does for `verify`.
  const Result<const ScenarioShader*> found = s.shaders.firstOf(input);
  if (found) {
    s.index = size_t(*found - s.scenario().shaders.data());
    return s;
  }
  std::vector<std::string> paths;
  for (const ScenarioShader& shader : s.scenario().shaders) paths.push_back(shader.path);
  return failure(fmt::format("{}: none of its shaders ({}) is the input '{}'",
                             options.scenario.path, fmt::join(paths, ", "), input));
}

bool ScenarioFor::isUnderOptimization(const ScenarioShader& other) const {
  return &other == &shader() ||
         (isSameFile(other.path, shader().path) && other.defines == shader().defines &&
          other.entry == shader().entry);
}

Result<std::unique_ptr<OptVerification>> OptVerification::create(Verifier& verifier,
                                                                 const OptOptions& options,
                                                                 const ScenarioFor* scenario,
                                                                 Words input) {
  std::unique_ptr<OptVerification> v(new OptVerification(verifier, options));
  v->input_ = v->lastEqual_ = std::move(input);
  if (!scenario) {
    std::string entry = options.load.entry.empty() ? "main" : options.load.entry;
    v->ours_ = {entry};
    ShaderPair pair{entry, v->input_, v->input_};
    Result<Scenario> made =
        generateScenario(pair, options.pipeline.assumptions, options.verification.seed, v->notes_);
    if (made)
      v->scenario_ = std::move(*made);
    else
      v->cannotRun_ = made.error().message;
    if (made && v->scenario_.shaders.size() == 1) v->ours_ = {v->scenario_.shaders.front().name};
    return v;
  }
  v->scenario_ = scenario->scenario();
  v->scenario_.stated = options.pipeline.assumptions.stated;
  for (const ScenarioShader& shader : v->scenario_.shaders) {
    // The scenario of the command, not its copy: isUnderOptimization() compares by what they hold.
    if (scenario->isUnderOptimization(shader)) {
      v->ours_.push_back(shader.name);
      v->scenario_.statedOf.insert(shader.name);
      continue;
    }
    Result<LoadedModule> module = scenario->shaders.load(shader);
    if (!module) return module.error();
    v->others_.push_back({shader.name, module->words(), module->words()});
  }
  return v;
}

Result<VerifyReport> OptVerification::compare(const Words& original, const Words& transformed,
                                              const LayoutManifest& layouts) {
  std::vector<ShaderPair> pairs = others_;
  for (const std::string& name : ours_) pairs.push_back({name, original, transformed});
  verifier_.options().tooLong = tooLong_;
  Result<VerifyReport> report = verifyLaidOut(verifier_, scenario_, pairs, layouts);
  verifier_.options().tooLong.clear();
  const auto seen = report ? report->interpreter : std::nullopt;
  if (seen && !seen->hasRun && seen->isTooLong) tooLong_ = seen->reason;
  if (report) report->notes.insert(report->notes.begin(), notes_.begin(), notes_.end());
  return report;
}

Verdict OptVerification::judge(const PassInfo& pass, const Words& before, const Words& after,
                               const LayoutManifest& layouts, Remark& remark) {
  const Verdict verdict = decide(pass, before, after, layouts, remark);
  if (verdict == Verdict::Keep) keptLayouts_ = layouts;
  return verdict;
}

Verdict OptVerification::decide(const PassInfo& pass, const Words& before, const Words& after,
                                const LayoutManifest& layouts, Remark& remark) {
  if (!cannotRun_.empty() || badScenario_) return Verdict::Keep;
  Result<VerifyReport> report = compare(input_, after, layouts);
  if (!report) {
    badScenario_ = report.error();
    return Verdict::Keep;
  }
  switch (report->state) {
  case VerifyState::OriginalUnsound:
    if (const RunFinding* moved = findMoved(*report, pass.flag, layouts)) {
      remark = movedRemark(pass.flag, *moved);
      return Verdict::Undo;
    }
    [[fallthrough]];
  case VerifyState::NotRun:
    // Nobody is blamed; finish() says that the result is not verified.
    return Verdict::Keep;
  case VerifyState::OrderDependent:
    if (!report->isVerified()) return Verdict::Keep;
    [[fallthrough]];
  case VerifyState::Equal: {
    Verdict verdict = options_.keepIf == KeepIf::Faster
                          ? judgeSpeed(pass, before, after, layouts, *report, remark)
                          : Verdict::Keep;
    if (verdict == Verdict::Keep) {
      lastEqual_ = after;
      lastLayouts_ = layouts;
      lastReport_ = std::move(*report);
    }
    return verdict;
  }
  case VerifyState::Differs:
    break;
  }
  foundDifference_ = true;
  // Is it this pass, or what those that are not verified made of the module before it?
  if (before != lastEqual_) {
    Result<VerifyReport> earlier = compare(input_, before, keptLayouts_);
    if (earlier && earlier->state == VerifyState::Differs) {
      const std::string_view whose = passesBetween(options_.steps);
      remark.name = nameOfBlame(whose);
      remark.message =
          fmt::format("outputs differed before --{} ran: {}; the {} passes before it were undone",
                      pass.flag, firstDifference(*earlier), whose);
      return Verdict::InputDiffers;
    }
  }
  remark.name = "changed-results";
  remark.message = fmt::format("--{} was undone: {}", pass.flag, firstDifference(*report));
  return Verdict::Undo;
}

/// A pass must win over the module without it, not only over the input.
Verdict OptVerification::judgeSpeed(const PassInfo& pass, const Words& before, const Words& after,
                                    const LayoutManifest& layouts, const VerifyReport& report,
                                    Remark& remark) {
  std::optional<TimingResult> timing = report.timing;
  // Only one of the two may have layouts of its own: behind a pass that changed them, what counts
  // is the time against the input.
  if (before != input_ && keptLayouts_.buffers.empty()) {
    Result<VerifyReport> step = compare(before, after, layouts);
    timing = step ? step->timing : std::nullopt;
  }
  if (timing && timing->isFaster()) return Verdict::Keep;
  remark.name = "not-faster";
  remark.message =
      timing ? fmt::format(
                   "--{} was undone: not faster (time with it / without it {:.3f}, 95% interval "
                   "{:.3f} to {:.3f})",
                   pass.flag, timing->ratio, timing->ratioLow, timing->ratioHigh)
             : fmt::format("--{} was undone: it could not be timed", pass.flag);
  return Verdict::Undo;
}

Result<VerifySummary> OptVerification::finish(Words& words, LayoutManifest& layouts,
                                              Remarks& remarks) {
  if (badScenario_) return *badScenario_;
  VerifySummary summary;
  summary.foundDifference = foundDifference_;
  if (words == input_) {
    summary.isVerified = true;
    return summary;
  }
  if (!cannotRun_.empty()) {
    summary.reason = cannotRun_;
    return summary;
  }
  if (words == lastEqual_ && lastReport_) {
    summary.isVerified = true;
    summary.report = lastReport_;
    return summary;
  }
  Result<VerifyReport> report = compare(input_, words, layouts);
  if (!report) return report.error();
  summary.report = std::move(*report);
  if (summary.report->isVerified()) {
    summary.isVerified = true;
    return summary;
  }
  summary.reason = summary.report->reason;
  if (summary.report->state != VerifyState::Differs) return summary;

  // Every pass that is verified by itself was found equal when it ran, so it is what the others
  // made of the module since.
  Remark r;
  r.kind = Remark::Kind::Warning;
  r.pass = "verify";
  const std::string_view whose = passesBetween(options_.steps);
  r.name = nameOfBlame(whose);
  r.message = fmt::format("the {} passes changed the outputs and were undone: {}", whose,
                          firstDifference(*summary.report));
  remarks.push_back(std::move(r));
  words = lastEqual_;
  layouts = lastLayouts_;
  summary.foundDifference = true;
  summary.isVerified = true; // the input, or a module found equal to it
  summary.reason.clear();
  summary.report = lastReport_;
  return summary;
}

} // namespace lanewise::driver
