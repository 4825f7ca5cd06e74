#include "verify/interpreter/interpreter_runner.h"

#include "support/stopwatch.h"
#include "verify/compare/run_findings.h"
#include "verify/formats/scalars.h"
#include "verify/interpreter/lower/lower_program.h"
#include "verify/interpreter/memory_place.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <numeric>

namespace lanewise::driver {

using namespace interpreter;

namespace {

constexpr LaneOrder kOrders[] = {LaneOrder::Forward, LaneOrder::Reverse, LaneOrder::Interleaved,
                                 LaneOrder::Random, LaneOrder::Alternating};

// What a workgroup of a later program may take, and the more for each instruction of the first.
constexpr uint64_t kFreeInstructions = uint64_t(1) << 24, kMoreInstructions = 64;

// Workgroups whose number stands in a buffer: above that, it is no number of workgroups.
constexpr uint32_t kMostIndirect = 1 << 26;

// Whether a finding may be due to what the buffers held rather than to the program.
bool mayComeOfInputs(FindingKind kind) {
  return kind == FindingKind::OutOfRange || kind == FindingKind::DivisionByZero ||
         kind == FindingKind::UndefinedValue || kind == FindingKind::UninitializedRead;
}

// Where an access lies in the one buffer that its variable is bound to. An index below 0 leaves it
// downwards, into the number of the object before it.
std::optional<RangeMiss> missOf(const interpreter::Program& program, const Finding& finding,
                                std::span<const BufferBinding> bindings) {
  if (finding.kind != FindingKind::OutOfRange || finding.bytes == 0) return {};
  const Id id = program.sites[finding.at.site].variable;
  const auto variable = std::find_if(program.variables.begin(), program.variables.end(),
                                     [=](const VariableInfo& v) { return v.id == id; });
  if (!id || variable == program.variables.end()) return {};
  const BufferBinding* only = nullptr;
  for (const BufferBinding& bound : bindings) {
    if (bound.set != variable->set || bound.binding != variable->binding) continue;
    if (only) return {};
    only = &bound;
  }
  // Neither that nor the one before it: the program sees the buffer in another layout.
  if (!only || finding.object - only->buffer > 1) return {};
  auto from = [&](uint64_t offset) {
    return int64_t(addressOf(finding.object) + offset - addressOf(only->buffer + 1));
  };
  const OpcodeFacts& facts = program.facts(finding.at.site);
  return RangeMiss{only->buffer, from(finding.offset), from(finding.furthest), finding.bytes,
                   has(facts.effects, Effect::WritesMemory)};
}

FirstTime firstTimeOf(const Finding& finding) {
  const auto who = [](const interpreter::Participant& p) {
    return FirstTime::Invocation{p.workgroup, p.lane};
  };
  FirstTime first{who(finding.at), {}, finding.offset, 0, finding.bytes};
  if (isRace(finding.kind)) first.other = who(finding.other);
  if (finding.kind == FindingKind::OutOfRange) first.furthest = finding.furthest;
  return first;
}

// Which of two racing accesses comes second is a matter of the order.
std::string placeOf(const RunFinding& found, bool isRace) {
  std::string at = fmt::format("{}:{}", found.file, found.line);
  std::string other = fmt::format("{}:{}", found.otherFile, found.otherLine);
  if (isRace && other < at) std::swap(at, other);
  return fmt::format("{}:{}:{}:{}:{}:{}", found.shader, at, other, found.variable,
                     found.memory.resource, found.memory.member.value_or(""));
}

Exercised nothingOf(const driver::Program& program,
                    std::span<const std::shared_ptr<const interpreter::Program>> code) {
  Exercised nothing;
  for (size_t s = 0; s < code.size(); ++s)
    nothing.push_back(
        {program.shaders[s].name, code[s], false, std::vector<uint8_t>(code[s]->edgeCount)});
  return nothing;
}

} // namespace

Result<std::shared_ptr<const interpreter::Program>> CodeCache::lower(const ProgramShader& shader,
                                                                     uint32_t subgroupSize) {
  Key key(shader.reflection.entry, shader.specConstants, shader.words, subgroupSize);
  if (auto known = known_.find(key); known != known_.end()) return known->second;
  constexpr uint32_t kVec3Stride = 16;
  Result<std::shared_ptr<const interpreter::Program>> code = interpreter::lowerProgram(
      shader.words, {shader.reflection.entry, shader.specConstants, kVec3Stride, subgroupSize});
  if (code) known_.emplace(std::move(key), *code);
  return code;
}

InterpreterRunner::InterpreterRunner(double timeoutSeconds, uint32_t subgroupSize, CodeCache* code)
    : timeoutSeconds_(timeoutSeconds), code_(code), info_(interpreterInfo(subgroupSize)) {}

RunStatus InterpreterRunner::makeResources(std::span<const ResourceShape> shapes) {
  programs_.clear();
  buffers_.clear();
  dirty_.clear();
  for (const ResourceShape& shape : shapes) {
    buffers_.emplace_back(shape.bytes);
    dirty_.emplace_back((shape.bytes >> kDirtyShift) + 1);
  }
  written_.assign(shapes.size(), {});
  isAllWritten_.assign(shapes.size(), false);
  bases_.assign(shapes.size(), {});
  shapes_.assign(shapes.begin(), shapes.end());
  return {};
}

RunStatus InterpreterRunner::addProgram(const driver::Program& program) {
  LoweredProgram lowered;
  lowered.program = program;
  for (const ProgramShader& shader : program.shaders) {
    for (const ReflectedBinding& binding : shader.reflection.bindings)
      if (binding.kind == ReflectedBinding::Kind::Unsupported)
        return RunFailure{RunFailure::Kind::Unsupported,
                          fmt::format("shader `{}`: {} is {}", shader.name,
                                      driver::placeOf(binding), binding.unsupported)};
    CodeCache own;
    Result<std::shared_ptr<const interpreter::Program>> code =
        (code_ ? *code_ : own).lower(shader, lanesOf(shader));
    if (!code)
      return RunFailure{RunFailure::Kind::Unsupported,
                        fmt::format("shader `{}`: {}", shader.name, code.error().message)};
    lowered.shaders.push_back(std::move(*code));
  }
  lowered.exercised = nothingOf(lowered.program, lowered.shaders);
  programs_.push_back(std::move(lowered));
  return {};
}

std::vector<PipelineStatistics> InterpreterRunner::statistics(uint32_t program) {
  return std::vector<PipelineStatistics>(programs_[program].shaders.size());
}

RunStatus InterpreterRunner::run(uint32_t program, std::span<const BufferInput> inputs,
                                 std::span<const uint32_t> read,
                                 std::vector<std::vector<uint8_t>>& outputs) {
  InterpreterPlan plan;
  plan.order = kOrders[programs_[program].runs++ % std::size(kOrders)];
  plan.timeoutSeconds = timeoutSeconds_;
  if (RunStatus failed = execute(program, inputs, plan)) return failed;
  outputs.assign(buffers_.size(), {});
  for (uint32_t buffer : read) outputs[buffer] = buffers_[buffer];
  return {};
}

RunStatus InterpreterRunner::execute(uint32_t program, std::span<const BufferInput> inputs,
                                     const InterpreterPlan& plan) {
  LoweredProgram& lowered = programs_[program];
  const auto before = std::pair(findings_, lowered.exercised);
  const bool raced = workgroupsRace_;
  upload(inputs, plan.inputsNumber);
  RunStatus failed = runSequence(lowered, plan);
  const bool isTooSlow = failed && failed->kind == RunFailure::Kind::Unsupported;
  if (workgroupsRace_ && !raced && !plan.observer && !isTooSlow) {
    std::tie(findings_, lowered.exercised) = before;
    upload(inputs, plan.inputsNumber);
    failed = runSequence(lowered, plan);
  }
  if (program == 0 && !failed)
    instructionsOfFirst_ = std::accumulate(instructions_.begin(), instructions_.end(), uint64_t(0));
  return failed;
}

TouchedPages InterpreterRunner::touched(uint32_t buffer) const {
  TouchedPages touched;
  const std::vector<uint8_t>& bytes = buffers_[buffer];
  for (uint32_t page = 0; page < dirty_[buffer].size(); ++page) {
    if (!dirty_[buffer][page]) continue;
    touched.pages.push_back(page);
    auto from = bytes.begin() + ptrdiff_t(uint64_t(page) << kDirtyShift);
    auto to = from + std::min<ptrdiff_t>(kDirtyBytes, bytes.end() - from);
    touched.bytes.insert(touched.bytes.end(), from, to);
  }
  return touched;
}

RunStatus InterpreterRunner::beginTiming(std::span<const BufferInput> inputs,
                                         std::span<const uint32_t> restored) {
  upload(inputs, 0);
  bases_.assign(buffers_.size(), {}); // time() writes past the flags
  pristine_.clear();
  for (uint32_t buffer : restored) pristine_.emplace_back(buffer, buffers_[buffer]);
  return {};
}

RunStatus InterpreterRunner::time(uint32_t program, uint32_t repetitions, double& microseconds) {
  InterpreterPlan plan;
  plan.timeoutSeconds = timeoutSeconds_;
  auto start = std::chrono::steady_clock::now();
  for (uint32_t n = 0; n < repetitions; ++n) {
    for (const auto& [buffer, bytes] : pristine_) buffers_[buffer] = bytes;
    if (RunStatus failed = runSequence(programs_[program], plan)) return failed;
  }
  std::chrono::duration<double, std::micro> wall = std::chrono::steady_clock::now() - start;
  microseconds = wall.count() / repetitions;
  return {};
}

Exercised InterpreterRunner::takeExercised(uint32_t program) {
  LoweredProgram& lowered = programs_[program];
  return std::exchange(lowered.exercised, nothingOf(lowered.program, lowered.shaders));
}

bool InterpreterRunner::hasStorageAtomics(uint32_t program, uint32_t dispatch) const {
  const LoweredProgram& lowered = programs_[program];
  return lowered.shaders[lowered.program.dispatches[dispatch].shader]->hasStorageAtomics;
}

bool InterpreterRunner::hasAtomics(uint32_t program) const {
  const auto& shaders = programs_[program].shaders;
  return std::any_of(shaders.begin(), shaders.end(),
                     [](const auto& shader) { return !shader->atomics.empty(); });
}

void InterpreterRunner::upload(std::span<const BufferInput> inputs, uint64_t number) {
  for (size_t b = 0; b < inputs.size(); ++b) {
    if (inputs[b].isLeftOut()) continue;
    isAllWritten_[b] = false;
    // A buffer that has only a pattern counts as one that nobody has written.
    size_t tracked = inputs[b].fill ? buffers_[b].size() : 0;
    auto base = inputs[b].fill ? std::pair(uint64_t(0), inputs[b].fill)
                               : std::pair(number, std::optional<uint8_t>());
    bool isNumbered = base.first != 0 || base.second;
    if (!isNumbered || base != bases_[b]) {
      written_[b].assign(tracked, 0);
      std::fill(dirty_[b].begin(), dirty_[b].end(), 1);
    }
    bases_[b] = base;
    restore(b, inputs[b]);
  }
}

void InterpreterRunner::restore(size_t b, const BufferInput& input) {
  for (size_t page = 0; page < dirty_[b].size(); ++page) {
    if (!std::exchange(dirty_[b][page], 0)) continue;
    size_t from = page << kDirtyShift,
           to = std::min<size_t>(from + kDirtyBytes, buffers_[b].size());
    if (input.fill) {
      std::fill(buffers_[b].begin() + ptrdiff_t(from), buffers_[b].begin() + ptrdiff_t(to),
                *input.fill);
      std::fill(written_[b].begin() + ptrdiff_t(from), written_[b].begin() + ptrdiff_t(to), 0);
    } else {
      std::copy(input.bytes.begin() + ptrdiff_t(from), input.bytes.begin() + ptrdiff_t(to),
                buffers_[b].begin() + ptrdiff_t(from));
    }
  }
}

RunStatus InterpreterRunner::runSequence(LoweredProgram& lowered, const InterpreterPlan& plan) {
  const Stopwatch running;
  instructions_.assign(lowered.program.dispatches.size(), 0);
  workgroups_.assign(lowered.program.dispatches.size(), 0);
  uint32_t repeat = plan.repeat != 0 ? plan.repeat : lowered.program.repeat;
  // What a dispatch sees after only a part of an earlier one is as good as generated.
  bool isAfterPart = false;
  for (uint32_t step = 0; step < repeat; ++step) {
    for (uint32_t d = 0; d < lowered.program.dispatches.size(); ++d) {
      runCopies(lowered.program, d);
      if (RunStatus failed =
              runDispatch(lowered, d, isAfterPart, plan, plan.timeoutSeconds - running.seconds()))
        return failed;
      isAfterPart |= !plan.workgroups.empty() && !plan.workgroups[d].empty();
    }
    runCopies(lowered.program, uint32_t(lowered.program.dispatches.size()));
  }
  return {};
}

// Those of the sequence that stand in front of a dispatch, or behind the last one.
void InterpreterRunner::runCopies(const driver::Program& program, uint32_t before) {
  for (const SequenceCopy& copy : program.copies)
    if (copy.before == before) runCopy(copy.copy);
}

// What nobody has written stays so at its new place.
void InterpreterRunner::runCopy(const PlannedCopy& copy) {
  std::memmove(buffers_[copy.to].data() + copy.toOffset,
               buffers_[copy.from].data() + copy.fromOffset, copy.bytes);
  const std::vector<uint8_t>& known = written_[copy.from];
  std::vector<uint8_t>& flags = written_[copy.to];
  const bool isKnown = known.empty() || isAllWritten_[copy.from];
  for (uint64_t n = 0; n < copy.bytes && !flags.empty(); ++n)
    flags[copy.toOffset + n] = isKnown ? 1 : known[copy.fromOffset + n];
  for (uint64_t page = copy.toOffset >> kDirtyShift;
       page <= (copy.toOffset + copy.bytes - 1) >> kDirtyShift; ++page)
    dirty_[copy.to][page] = 1;
}

RunStatus InterpreterRunner::runDispatch(LoweredProgram& lowered, uint32_t index, bool isAfterPart,
                                         const InterpreterPlan& plan, double seconds) {
  const ProgramDispatch& step = lowered.program.dispatches[index];
  if (plan.observer) plan.observer->atDispatch(index);
  std::vector<BufferMemory> memory;
  for (size_t b = 0; b < buffers_.size(); ++b) {
    std::span<uint8_t> written = written_[b];
    const bool isImage = shapes_[b].image.has_value();
    memory.push_back({buffers_[b], "", isAllWritten_[b] ? std::span<uint8_t>() : written, dirty_[b],
                      isImage ? &*shapes_[b].image : nullptr});
  }
  std::vector<BufferBinding> bindings;
  for (const ProgramDispatch::Binding& bound : step.bindings)
    bindings.push_back({bound.set, bound.binding, bound.element, bound.buffer});
  const interpreter::Program& program = *lowered.shaders[step.shader];
  MachineOptions options;
  options.order = plan.order;
  options.subgroupSize = lanesOf(lowered.program.shaders[step.shader]);
  options.stepLimit = plan.stepLimit;
  if (&lowered != &programs_[0] && instructionsOfFirst_)
    options.instructionLimit = kFreeInstructions + kMoreInstructions * *instructionsOfFirst_;
  options.timeoutSeconds = seconds > 0 ? seconds : -1;
  if (!plan.workgroups.empty()) options.workgroups = plan.workgroups[index];
  options.keepsWorkgroupOrder =
      !plan.keepsWorkgroupOrder.empty() && plan.keepsWorkgroupOrder[index];
  std::array<uint32_t, 3> groups = step.groups;
  if (step.indirect)
    if (RunStatus failed = readGroups(lowered, index, isAfterPart, groups)) return failed;
  workgroups_[index] = uint64_t(groups[0]) * groups[1] * groups[2];
  if (workgroups_[index] == 0) return {}; // as in Vulkan
  if (workgroupsRace_) options.threads = 1;
  options.observer = plan.observer;
  if (plan.observer) plan.observer->beginDispatch(step.shader, program, groups);
  Result<DispatchResult> done =
      dispatch({&program, groups, bindings, step.pushConstants}, memory, options);
  if (!done) return RunFailure{RunFailure::Kind::Unsupported, done.error().message};
  instructions_[index] += done->instructions;
  if (done->ended && !done->timedOut) {
    ExercisedShader& seen = lowered.exercised[step.shader];
    seen.hasRun = true;
    for (size_t n = 0; n < seen.edges.size(); ++n) seen.edges[n] |= done->edges[n];
  }
  const ProgramShader& run = lowered.program.shaders[step.shader];
  const std::string& shader = run.madeOf.empty() ? run.name : run.madeOf;
  for (BufferBinding& bound : bindings)
    bound.buffer = shapes_[bound.buffer].standsFor.value_or(bound.buffer);
  for (const Finding& finding : done->findings)
    addFinding(program, shader, finding, bindings, isAfterPart);
  if (!options.workgroups.empty())
    for (const ProgramDispatch::Binding& bound : step.bindings) isAllWritten_[bound.buffer] = true;
  if (done->timedOut)
    return RunFailure{
        RunFailure::Kind::Unsupported,
        fmt::format("the interpreter did not finish within {} seconds; choose a smaller size",
                    plan.timeoutSeconds)};
  if (!done->ended)
    return RunFailure{RunFailure::Kind::Timeout,
                      done->findings.empty() ? "it does not terminate" : findings_.back().text};
  return {};
}

// What earlier dispatches left as the counts of this one.
RunStatus InterpreterRunner::readGroups(const LoweredProgram& lowered, uint32_t index,
                                        bool isAfterPart, std::array<uint32_t, 3>& groups) {
  const ProgramDispatch& step = lowered.program.dispatches[index];
  const auto& [buffer, offset] = *step.indirect;
  groups = decodeGroups(buffers_[buffer], offset);
  const std::vector<uint8_t>& written = written_[buffer];
  const std::string& shader = lowered.program.shaders[step.shader].name;
  const bool isKnown = written.empty() || isAllWritten_[buffer] ||
                       std::all_of(written.begin() + ptrdiff_t(offset),
                                   written.begin() + ptrdiff_t(offset + sizeof(groups)),
                                   [](uint8_t flag) { return flag != 0; });
  if (!isKnown) {
    RunFinding found;
    found.kind = nameOf(FindingKind::UninitializedRead);
    found.text = fmt::format("uninitialized read: the indirect workgroup counts of dispatch {} of "
                             "the sequence, from byte {} on, were never written",
                             index, offset);
    found.shader = shader;
    found.place = fmt::format("{}:counts:{}", shader, index);
    found.isAfterPart = found.dependsOnInputs = isAfterPart;
    driver::addFindings(findings_, {std::move(found)});
    groups = {0, 0, 0};
    return {};
  }
  uint64_t all = 1;
  for (uint32_t count : groups) all = std::min<uint64_t>(all * count, uint64_t(1) << 32);
  if (all <= kMostIndirect) return {};
  return RunFailure{
      RunFailure::Kind::Timeout,
      fmt::format(
          "an indirect dispatch of shader `{}` has workgroup counts {}, {}, {}, too many to run",
          shader, groups[0], groups[1], groups[2])};
}

void InterpreterRunner::addFinding(const interpreter::Program& program, const std::string& shader,
                                   const Finding& finding, std::span<const BufferBinding> bindings,
                                   bool isAfterPart) {
  RunFinding found;
  found.kind = nameOf(finding.kind);
  found.text = describe(program, finding);
  found.shader = shader;
  SourceLocation at = program.location(finding.at.site);
  found.file = at.file;
  found.line = at.line;
  // Of a barrier the other participant is who is missing: it has no place of its own.
  if (finding.other.site != 0) {
    SourceLocation other = program.location(finding.other.site);
    found.otherFile = other.file;
    found.otherLine = other.line;
  }
  found.variable = finding.variable;
  found.memory = memoryPlaceOf(program, finding.accessSite(), bindings);
  found.place = placeOf(found, isRace(finding.kind));
  found.decides = finding.kind != FindingKind::RaceSameValue;
  found.dependsOnInputs = isAfterPart || mayComeOfInputs(finding.kind);
  found.isAfterPart = isAfterPart;
  found.miss = missOf(program, finding, bindings);
  found.first = firstTimeOf(finding);
  workgroupsRace_ |=
      isRace(finding.kind) && found.decides && found.memory.kind != MemoryPlace::Kind::Workgroup;
  for (const RunFinding& known : findings_)
    if (known.kind == found.kind && known.place == found.place) return;
  findings_.push_back(std::move(found));
}

DeviceInfo interpreterInfo(uint32_t subgroupSize) {
  DeviceInfo info;
  info.name = kInterpreterName;
  info.type = "interpreter";
  info.driver = "lanewise " LANEWISE_VERSION;
  info.apiVersion = "-";
  info.subgroupSize = subgroupSize;
  info.sharedMemoryBytes = 1 << 20;
  info.isCpu = true;
  info.isInterpreter = true;
  return info;
}

} // namespace lanewise::driver
