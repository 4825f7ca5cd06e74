#include "verify/interpreter/interpreter_runner.h"

#include "verify/interpreter/machine.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace lanewise::driver {
namespace {

using namespace interpreter;

constexpr LaneOrder kOrders[] = {LaneOrder::Forward, LaneOrder::Reverse, LaneOrder::Interleaved,
                                 LaneOrder::Random};

// Whether a finding may be due to what the buffers held rather than to the program.
bool dependsOnInputs(FindingKind kind) {
  return kind == FindingKind::OutOfRange || kind == FindingKind::DivisionByZero ||
         kind == FindingKind::UndefinedValue || kind == FindingKind::UninitializedRead;
}

struct LoweredProgram {
  driver::Program program;
  std::vector<std::shared_ptr<const interpreter::Program>> shaders;
  uint32_t runs = 0;
};

class InterpreterRunner final : public Runner {
public:
  explicit InterpreterRunner(const RunnerOptions& options)
      : options_(options), info_(interpreterInfo()) {
    info_.subgroupSize = options.subgroupSize;
  }

  const DeviceInfo& device() const override { return info_; }
  bool isUsable() const override { return true; }

  RunStatus makeBuffers(std::span<const uint64_t> bytes) override {
    programs_.clear();
    buffers_.clear();
    shapes_.clear();
    for (uint64_t size : bytes) buffers_.emplace_back(size);
    written_.assign(bytes.size(), {});
    return {};
  }

  RunStatus makeResources(std::span<const ResourceShape> shapes) override {
    std::vector<uint64_t> bytes;
    for (const ResourceShape& shape : shapes) bytes.push_back(shape.bytes);
    RunStatus failed = makeBuffers(bytes);
    shapes_.assign(shapes.begin(), shapes.end());
    return failed;
  }

  RunStatus addProgram(const driver::Program& program) override {
    LoweredProgram lowered;
    lowered.program = program;
    for (const ProgramShader& shader : program.shaders) {
      for (const ReflectedBinding& binding : shader.reflection.bindings)
        if (binding.kind == ReflectedBinding::Kind::Unsupported)
          return RunFailure{RunFailure::Kind::Unsupported,
                            fmt::format("shader `{}`: {} is {}", shader.name, placeOf(binding),
                                        binding.unsupported)};
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

  std::vector<PipelineStatistics> statistics(uint32_t program) override {
    return std::vector<PipelineStatistics>(programs_[program].shaders.size());
  }

  RunStatus run(uint32_t program, std::span<const BufferInput> inputs,
                std::span<const uint32_t> read,
                std::vector<std::vector<uint8_t>>& outputs) override {
    upload(inputs);
    LoweredProgram& lowered = programs_[program];
    uint32_t order = lowered.runs++ % std::size(kOrders);
    if (RunStatus failed = runSequence(lowered, kOrders[order])) return failed;
    outputs.assign(buffers_.size(), {});
    for (uint32_t buffer : read) outputs[buffer] = buffers_[buffer];
    return {};
  }

  RunStatus beginTiming(std::span<const BufferInput> inputs,
                        std::span<const uint32_t> restored) override {
    upload(inputs);
    pristine_.clear();
    for (uint32_t buffer : restored) pristine_.emplace_back(buffer, buffers_[buffer]);
    return {};
  }

  RunStatus time(uint32_t program, uint32_t repetitions, double& microseconds) override {
    auto start = std::chrono::steady_clock::now();
    for (uint32_t n = 0; n < repetitions; ++n) {
      for (const auto& [buffer, bytes] : pristine_) buffers_[buffer] = bytes;
      if (RunStatus failed = runSequence(programs_[program], LaneOrder::Forward)) return failed;
    }
    std::chrono::duration<double, std::micro> wall = std::chrono::steady_clock::now() - start;
    microseconds = wall.count() / repetitions;
    return {};
  }

  std::vector<uint8_t> contents(uint32_t buffer) override { return buffers_[buffer]; }
  std::vector<std::string> takeValidationErrors() override { return {}; }
  std::vector<RunFinding> takeFindings() override { return std::exchange(findings_, {}); }

private:
  void upload(std::span<const BufferInput> inputs) {
    for (size_t b = 0; b < inputs.size(); ++b) {
      if (inputs[b].fill)
        std::fill(buffers_[b].begin(), buffers_[b].end(), *inputs[b].fill);
      else
        std::copy(inputs[b].bytes.begin(), inputs[b].bytes.end(), buffers_[b].begin());
      // A buffer that has only a pattern counts as one that nobody has written.
      written_[b].assign(inputs[b].fill ? buffers_[b].size() : 0, 0);
    }
  }

  RunStatus runSequence(const LoweredProgram& lowered, LaneOrder order) {
    auto start = std::chrono::steady_clock::now();
    for (uint32_t step = 0; step < lowered.program.repeat; ++step)
      for (const ProgramDispatch& dispatch : lowered.program.dispatches) {
        std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
        if (RunStatus failed =
                runDispatch(lowered, dispatch, order, options_.timeoutSeconds - spent.count()))
          return failed;
      }
    return {};
  }

  RunStatus runDispatch(const LoweredProgram& lowered, const ProgramDispatch& step, LaneOrder order,
                        double seconds) {
    std::vector<BufferMemory> memory;
    for (size_t b = 0; b < buffers_.size(); ++b) {
      bool isImage = b < shapes_.size() && shapes_[b].image;
      memory.push_back({buffers_[b], "", written_[b], isImage ? &*shapes_[b].image : nullptr});
    }
    std::vector<BufferBinding> bindings;
    for (const ProgramDispatch::Binding& bound : step.bindings)
      bindings.push_back({bound.set, bound.binding, 0, bound.buffer});
    const interpreter::Program& program = *lowered.shaders[step.shader];
    MachineOptions options;
    options.order = order;
    options.subgroupSize = options_.subgroupSize;
    options.timeoutSeconds = seconds;
    Result<DispatchResult> done =
        dispatch({&program, step.groups, bindings, step.pushConstants}, memory, options);
    if (!done) return RunFailure{RunFailure::Kind::Unsupported, done.error().message};
    const std::string& shader = lowered.program.shaders[step.shader].name;
    for (const Finding& finding : done->findings) addFinding(program, shader, finding);
    if (done->timedOut)
      return RunFailure{RunFailure::Kind::Unsupported,
                        fmt::format("the interpreter did not end within {} seconds; choose a "
                                    "smaller size",
                                    options_.timeoutSeconds)};
    if (!done->ended)
      return RunFailure{RunFailure::Kind::Timeout,
                        done->findings.empty() ? "it does not end" : findings_.back().text};
    return {};
  }

  void addFinding(const interpreter::Program& program, const std::string& shader,
                  const Finding& finding) {
    RunFinding found;
    found.kind = nameOf(finding.kind);
    found.text = describe(program, finding);
    found.shader = shader;
    SourceLocation at = program.location(finding.at.site);
    found.place = fmt::format("{}:{}:{}:{}", shader, at.file, at.line, finding.variable);
    found.file = at.file;
    found.line = at.line;
    found.variable = finding.variable;
    found.decides = finding.kind != FindingKind::RaceSameValue;
    found.dependsOnInputs = dependsOnInputs(finding.kind);
    for (const RunFinding& known : findings_)
      if (known.kind == found.kind && known.place == found.place) return;
    findings_.push_back(std::move(found));
  }

  RunnerOptions options_;
  DeviceInfo info_;
  std::vector<std::vector<uint8_t>> buffers_, written_;
  std::vector<ResourceShape> shapes_; ///< empty: all are buffers
  std::vector<std::pair<uint32_t, std::vector<uint8_t>>> pristine_;
  std::vector<LoweredProgram> programs_;
  std::vector<RunFinding> findings_;
};

} // namespace

DeviceInfo interpreterInfo() {
  DeviceInfo info;
  info.name = kInterpreterName;
  info.type = "interpreter";
  info.driver = "lanewise " LANEWISE_VERSION;
  info.apiVersion = "-";
  info.subgroupSize = RunnerOptions().subgroupSize;
  info.sharedMemoryBytes = 1 << 20;
  info.isCpu = true;
  info.isInterpreter = true;
  return info;
}

std::unique_ptr<Runner> makeInterpreterRunner(const RunnerOptions& options) {
  return std::make_unique<InterpreterRunner>(options);
}

} // namespace lanewise::driver
