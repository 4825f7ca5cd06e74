#include "verify/interpreter/interpreter_runner.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace lanewise::driver {

using namespace interpreter;

namespace {

constexpr LaneOrder kOrders[] = {LaneOrder::Forward, LaneOrder::Reverse, LaneOrder::Interleaved,
                                 LaneOrder::Random};
constexpr uint32_t kSubgroupSize = 32;

// Whether a finding may be due to what the buffers held rather than to the program.
bool mayComeOfInputs(FindingKind kind) {
  return kind == FindingKind::OutOfRange || kind == FindingKind::DivisionByZero ||
         kind == FindingKind::UndefinedValue || kind == FindingKind::UninitializedRead;
}

bool isRace(FindingKind kind) {
  return kind == FindingKind::RaceWriteWrite || kind == FindingKind::RaceReadWrite ||
         kind == FindingKind::RaceSameValue;
}

// Which of two racing accesses comes second is a matter of the order.
std::string placeOf(const RunFinding& found, bool isRace) {
  std::string at = fmt::format("{}:{}", found.file, found.line);
  std::string other = fmt::format("{}:{}", found.otherFile, found.otherLine);
  if (isRace && other < at) std::swap(at, other);
  return fmt::format("{}:{}:{}:{}", found.shader, at, other, found.variable);
}

} // namespace

InterpreterRunner::InterpreterRunner(double timeoutSeconds)
    : timeoutSeconds_(timeoutSeconds), info_(interpreterInfo()) {}

RunStatus InterpreterRunner::makeBuffers(std::span<const uint64_t> bytes) {
  programs_.clear();
  buffers_.clear();
  for (uint64_t size : bytes) buffers_.emplace_back(size);
  written_.assign(bytes.size(), {});
  return {};
}

RunStatus InterpreterRunner::addProgram(const driver::Program& program) {
  LoweredProgram lowered;
  lowered.program = program;
  for (const ProgramShader& shader : program.shaders) {
    Result<std::shared_ptr<const interpreter::Program>> code = interpreter::Program::lower(
        shader.words, {shader.reflection.entry, shader.specConstants, 16});
    if (!code)
      return RunFailure{RunFailure::Kind::Unsupported,
                        fmt::format("shader `{}`: {}", shader.name, code.error().message)};
    lowered.shaders.push_back(std::move(*code));
  }
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
  return run(program, inputs, read, outputs, plan);
}

RunStatus InterpreterRunner::run(uint32_t program, std::span<const BufferInput> inputs,
                                 std::span<const uint32_t> read,
                                 std::vector<std::vector<uint8_t>>& outputs,
                                 const InterpreterPlan& plan) {
  upload(inputs);
  if (RunStatus failed = runSequence(programs_[program], plan)) return failed;
  outputs.assign(buffers_.size(), {});
  for (uint32_t buffer : read) outputs[buffer] = buffers_[buffer];
  return {};
}

RunStatus InterpreterRunner::beginTiming(std::span<const BufferInput> inputs,
                                         std::span<const uint32_t> restored) {
  upload(inputs);
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

bool InterpreterRunner::hasStorageAtomics(uint32_t program, uint32_t dispatch) const {
  const LoweredProgram& lowered = programs_[program];
  return lowered.shaders[lowered.program.dispatches[dispatch].shader]->hasStorageAtomics;
}

void InterpreterRunner::upload(std::span<const BufferInput> inputs) {
  for (size_t b = 0; b < inputs.size(); ++b) {
    if (inputs[b].fill)
      std::fill(buffers_[b].begin(), buffers_[b].end(), *inputs[b].fill);
    else
      std::copy(inputs[b].bytes.begin(), inputs[b].bytes.end(), buffers_[b].begin());
    // A buffer that has only a pattern counts as one that nobody has written.
    written_[b].assign(inputs[b].fill ? buffers_[b].size() : 0, 0);
  }
}

RunStatus InterpreterRunner::runSequence(const LoweredProgram& lowered,
                                         const InterpreterPlan& plan) {
  auto start = std::chrono::steady_clock::now();
  instructions_.assign(lowered.program.dispatches.size(), 0);
  uint32_t repeat = plan.repeat != 0 ? plan.repeat : lowered.program.repeat;
  // What a dispatch sees after only a part of an earlier one is as good as made up.
  bool isAfterPart = false;
  for (uint32_t step = 0; step < repeat; ++step)
    for (uint32_t d = 0; d < lowered.program.dispatches.size(); ++d) {
      std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
      if (RunStatus failed =
              runDispatch(lowered, d, isAfterPart, plan, plan.timeoutSeconds - spent.count()))
        return failed;
      isAfterPart |= !plan.workgroups.empty() && !plan.workgroups[d].empty();
    }
  return {};
}

RunStatus InterpreterRunner::runDispatch(const LoweredProgram& lowered, uint32_t index,
                                         bool isAfterPart, const InterpreterPlan& plan,
                                         double seconds) {
  const ProgramDispatch& step = lowered.program.dispatches[index];
  std::vector<BufferMemory> memory;
  for (size_t b = 0; b < buffers_.size(); ++b) memory.push_back({buffers_[b], "", written_[b]});
  std::vector<BufferBinding> bindings;
  for (const ProgramDispatch::Binding& bound : step.bindings)
    bindings.push_back({bound.set, bound.binding, 0, bound.buffer});
  const interpreter::Program& program = *lowered.shaders[step.shader];
  MachineOptions options;
  options.order = plan.order;
  options.subgroupSize = kSubgroupSize;
  options.timeoutSeconds = seconds > 0 ? seconds : -1;
  if (!plan.workgroups.empty()) options.workgroups = plan.workgroups[index];
  options.keepsWorkgroupOrder = !plan.keepsWorkgroupOrder.empty() && plan.keepsWorkgroupOrder[index];
  Result<DispatchResult> done =
      dispatch({&program, step.groups, bindings, step.pushConstants}, memory, options);
  if (!done) return RunFailure{RunFailure::Kind::Unsupported, done.error().message};
  instructions_[index] += done->instructions;
  const std::string& shader = lowered.program.shaders[step.shader].name;
  for (const Finding& finding : done->findings)
    addFinding(program, shader, finding, isAfterPart);
  if (!options.workgroups.empty())
    for (const ProgramDispatch::Binding& bound : step.bindings)
      std::fill(written_[bound.buffer].begin(), written_[bound.buffer].end(), 1);
  if (done->timedOut)
    return RunFailure{RunFailure::Kind::Unsupported,
                      fmt::format("the interpreter did not end within {} seconds; choose a "
                                  "smaller size",
                                  plan.timeoutSeconds)};
  if (!done->ended)
    return RunFailure{RunFailure::Kind::Timeout,
                      done->findings.empty() ? "it does not end" : findings_.back().text};
  return {};
}

void InterpreterRunner::addFinding(const interpreter::Program& program, const std::string& shader,
                                   const Finding& finding, bool isAfterPart) {
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
  found.place = placeOf(found, isRace(finding.kind));
  found.decides = finding.kind != FindingKind::RaceSameValue;
  found.dependsOnInputs = isAfterPart || mayComeOfInputs(finding.kind);
  found.isAfterPart = isAfterPart;
  for (const RunFinding& known : findings_)
    if (known.kind == found.kind && known.place == found.place) return;
  findings_.push_back(std::move(found));
}

DeviceInfo interpreterInfo() {
  DeviceInfo info;
  info.name = kInterpreterName;
  info.type = "interpreter";
  info.driver = "lanewise " LANEWISE_VERSION;
  info.apiVersion = "-";
  info.subgroupSize = kSubgroupSize;
  info.sharedMemoryBytes = 1 << 20;
  info.isCpu = true;
  info.isInterpreter = true;
  return info;
}

} // namespace lanewise::driver
