// What the rest of the driver calls, and where each call goes: to the interpreter, to the worker
// process, or to Vulkan in this process.
#include "verify/device/device_host.h"

#include "support/failure.h"
#include "support/isolate.h"
#include "verify/device/device_service.h"
#include "verify/device/device_worker.h"
#include "verify/device/vulkan_runner.h"
#include "verify/interpreter/interpreter_runner.h"
#include "verify/program/runner.h"

#include <fmt/format.h>
#include <numeric>

namespace lanewise::driver {

namespace {

/// A Runner whose device is in the worker process.
class WorkerRunner final : public Runner {
public:
  WorkerRunner(std::shared_ptr<DeviceWorker> worker, DeviceInfo info, bool hasValidationLayer)
      : worker_(std::move(worker)), info_(std::move(info)),
        hasValidationLayer_(hasValidationLayer) {}

  const DeviceInfo& device() const override { return info_; }
  RunStatus loss() const override { return worker_->loss(); }

  RunStatus makeResources(std::span<const ResourceShape> shapes) override {
    bytes_.clear();
    for (const ResourceShape& shape : shapes) bytes_.push_back(shape.bytes);
    MessageWriter request;
    request.put(DeviceCall::MakeResources, std::vector(shapes.begin(), shapes.end()));
    return askStatus(request);
  }

  RunStatus addProgram(const Program& program) override {
    MessageWriter request;
    request.put(DeviceCall::AddProgram, program);
    return askStatus(request);
  }

  std::vector<PipelineStatistics> statistics(uint32_t program) override {
    std::vector<PipelineStatistics> all;
    MessageWriter request;
    request.put(DeviceCall::Statistics, program);
    if (ask(request, all)) all.clear();
    return all;
  }

  RunStatus run(uint32_t program, std::span<const BufferInput> inputs,
                std::span<const uint32_t> read,
                std::vector<std::vector<uint8_t>>& outputs) override {
    MessageWriter request;
    request.put(DeviceCall::Run, program);
    request.putInputs(inputs);
    request.put(std::vector(read.begin(), read.end()));
    RunStatus status;
    std::vector<uint64_t> sizes;
    if (RunStatus lost = ask(request, status, sizes, secondsOfRun_)) return lost;
    if (status) return status;
    std::vector<uint64_t> expected(bytes_.size());
    for (uint32_t buffer : read) expected[buffer] = bytes_[buffer];
    if (sizes != expected || bulkBytes_ != std::accumulate(sizes.begin(), sizes.end(), uint64_t(0)))
      return worker_->loseToInvalidAnswer();
    outputs.assign(sizes.size(), {});
    for (size_t buffer = 0; buffer < sizes.size(); ++buffer) {
      outputs[buffer].resize(size_t(sizes[buffer]));
      if (RunStatus lost = worker_->receive(outputs[buffer])) return lost;
    }
    return {};
  }

  double secondsOfRun() const override { return secondsOfRun_; }

  RunStatus beginTiming(std::span<const BufferInput> inputs,
                        std::span<const uint32_t> restored) override {
    MessageWriter request;
    request.put(DeviceCall::BeginTiming);
    request.putInputs(inputs);
    request.put(std::vector(restored.begin(), restored.end()));
    return askStatus(request);
  }

  RunStatus time(uint32_t program, uint32_t repetitions, double& microseconds) override {
    MessageWriter request;
    request.put(DeviceCall::Time, program, repetitions);
    RunStatus status;
    if (RunStatus lost = ask(request, status, microseconds)) return lost;
    return status;
  }

  RunStatus trace(uint32_t program, QueueTrace& trace) override {
    MessageWriter request;
    request.put(DeviceCall::Trace, program);
    RunStatus status;
    if (RunStatus lost = ask(request, status, trace)) return lost;
    return status;
  }

  std::vector<uint8_t> contents(uint32_t buffer) override {
    MessageWriter request;
    request.put(DeviceCall::Contents, buffer);
    if (ask(request) || bulkBytes_ != bytes_[buffer]) return {};
    std::vector<uint8_t> bytes(bytes_[buffer]);
    if (worker_->receive(bytes)) bytes.clear();
    return bytes;
  }

  std::vector<std::string> takeValidationErrors() override {
    std::vector<std::string> errors;
    if (!hasValidationLayer_) return errors;
    MessageWriter request;
    request.put(DeviceCall::TakeValidationErrors);
    if (ask(request, errors)) errors.clear();
    return errors;
  }

private:
  /// Fails where there is no answer. `bulkBytes_` are to be received behind it.
  template <class... Values>
  RunStatus ask(const MessageWriter& request, Values&... values) {
    DeviceAnswer answer;
    if (RunStatus lost = worker_->ask(request, answer)) return lost;
    MessageReader reader(answer.head);
    RunStatus loss;
    reader.get(loss, values...);
    if (!reader.isAtEnd()) return worker_->loseToInvalidAnswer();
    if (loss) worker_->lose(*loss);
    bulkBytes_ = answer.bulkBytes;
    return {};
  }

  RunStatus askStatus(const MessageWriter& request) {
    RunStatus status;
    if (RunStatus lost = ask(request, status)) return lost;
    return status;
  }

  std::shared_ptr<DeviceWorker> worker_;
  DeviceInfo info_;
  const bool hasValidationLayer_;
  double secondsOfRun_ = 0;
  std::vector<uint64_t> bytes_; ///< by resource
  uint64_t bulkBytes_ = 0;
};

bool isInThisProcess() {
  return !defaultIsolation().forksForDrivers;
}

/// With --no-isolation; nobody reads it.
DriverActivity& unreadActivity() {
  static DriverActivity activity;
  return activity;
}

Error noVulkan(const RunFailure& lost) {
  return failure(
      fmt::format("no usable Vulkan: {}; point VK_DRIVER_FILES at another driver", lost.message));
}

/// `lost` is set where there is no answer.
template <class T>
Result<T> askHost(DeviceWorker& worker, const MessageWriter& request, RunStatus& lost) {
  DeviceAnswer answer;
  lost = worker.ask(request, answer);
  if (lost) return noVulkan(*lost);
  MessageReader reader(answer.head);
  T value{};
  std::string why;
  const bool isGood = reader.get<bool>();
  isGood ? reader.get(value) : reader.get(why);
  if (!reader.isAtEnd()) lost = worker.loseToInvalidAnswer();
  if (lost) return noVulkan(*lost);
  if (!isGood) return failure(std::move(why));
  return value;
}

} // namespace

DeviceWorker& DeviceHost::worker() {
  if (!worker_ || worker_->loss()) worker_ = std::make_shared<DeviceWorker>(serveDevice);
  return *worker_;
}

Result<std::vector<DeviceInfo>> DeviceHost::list() {
  if (isInThisProcess()) return listVulkanDevices(unreadActivity());
  MessageWriter request;
  request.put(DeviceCall::List);
  RunStatus lost;
  return askHost<std::vector<DeviceInfo>>(worker(), request, lost);
}

Result<DeviceInfo> DeviceHost::probe(const RunnerOptions& options) {
  if (options.device == kInterpreterName) return interpreterInfo(options.subgroupSize);
  if (isInThisProcess()) {
    Result<std::unique_ptr<FoundDevice>> found = findVulkan(options, unreadActivity());
    if (!found) return found.error();
    return (*found)->info();
  }
  MessageWriter request;
  request.put(DeviceCall::Probe, options);
  RunStatus lost;
  return askHost<DeviceInfo>(worker(), request, lost);
}

Result<std::unique_ptr<Runner>> DeviceHost::open(const RunnerOptions& options) {
  if (options.device == kInterpreterName)
    return std::unique_ptr<Runner>(
        std::make_unique<InterpreterRunner>(options.timeoutSeconds, options.subgroupSize));
  if (isInThisProcess()) {
    Result<std::unique_ptr<FoundDevice>> found = findVulkan(options, unreadActivity());
    if (!found) return found.error();
    return (*found)->open(options, unreadActivity());
  }
  MessageWriter request;
  request.put(DeviceCall::Open, options);
  worker().setTimeout(options.timeoutSeconds);
  RunStatus lost;
  Result<DeviceInfo> info = askHost<DeviceInfo>(*worker_, request, lost);
  if (!info && !lost) return info.error();
  return std::unique_ptr<Runner>(std::make_unique<WorkerRunner>(
      worker_, info ? std::move(*info) : DeviceInfo(), options.validationLayer));
}

Result<std::vector<DeviceInfo>> listDevices() {
  return DeviceHost().list();
}

Result<std::unique_ptr<Runner>> openRunner(const RunnerOptions& options) {
  return DeviceHost().open(options);
}

} // namespace lanewise::driver
