#include "verify/device/device_service.h"

#include "verify/device/vulkan_runner.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace lanewise::driver {

namespace {

class DeviceService {
public:
  DeviceService(DeviceConnection& connection, DriverActivity& activity)
      : connection_(connection), activity_(activity) {}

  void serve() {
    std::string head;
    uint64_t bulkBytes = 0;
    while (connection_.receive(head, bulkBytes)) {
      // Kept from request to request: fresh pages cost as much as the copying.
      if (bulk_.size() < bulkBytes) bulk_.resize(size_t(bulkBytes));
      const std::span<uint8_t> bulk = std::span(bulk_).first(size_t(bulkBytes));
      if (!connection_.receive(bulk)) return;
      MessageReader request(head, bulk);
      MessageWriter answer;
      const auto call = request.get<DeviceCall>();
      if (call <= DeviceCall::Open)
        answerHost(call, request, answer);
      else
        answerRunner(call, request, answer);
      if (!connection_.send(answer)) return;
    }
  }

private:
  void answerHost(DeviceCall call, MessageReader& request, MessageWriter& answer) {
    if (call == DeviceCall::List) return putResult(listVulkanDevices(activity_), answer);
    const auto options = request.get<RunnerOptions>();
    if (Status found = find(options); !found) return answer.put(false, found.error().message);
    if (call == DeviceCall::Probe) return answer.put(true, found_->info());
    runner_.reset(); // the one before goes first, and gives back its memory
    Result<std::unique_ptr<Runner>> opened =
        std::exchange(found_, nullptr)->open(options, activity_);
    if (!opened) return answer.put(false, opened.error().message);
    runner_ = std::move(*opened);
    answer.put(true, runner_->device());
  }

  // What was found for a probe is opened.
  Status find(const RunnerOptions& options) {
    const bool isKnown = found_ && foundFor_ == std::pair(options.device, options.validationLayer);
    if (isKnown) return ok();
    Result<std::unique_ptr<FoundDevice>> found = findVulkan(options, activity_);
    if (!found) return found.error();
    found_ = std::move(*found);
    foundFor_ = {options.device, options.validationLayer};
    return ok();
  }

  template <class T>
  static void putResult(const Result<T>& result, MessageWriter& answer) {
    if (result)
      answer.put(true, *result);
    else
      answer.put(false, result.error().message);
  }

  /// An answer begins with the Runner's loss(), then comes what the call gives back.
  void answerRunner(DeviceCall call, MessageReader& request, MessageWriter& answer) {
    switch (call) {
    case DeviceCall::MakeResources:
      return putStatus(runner_->makeResources(request.get<std::vector<ResourceShape>>()), answer);
    case DeviceCall::AddProgram:
      return putStatus(runner_->addProgram(request.get<Program>()), answer);
    case DeviceCall::Statistics: {
      auto statistics = runner_->statistics(request.get<uint32_t>());
      return answer.put(runner_->loss(), statistics);
    }
    case DeviceCall::Run:
      return run(request, answer);
    case DeviceCall::BeginTiming: {
      const std::vector<BufferInput> inputs = request.getInputs();
      return putStatus(runner_->beginTiming(inputs, request.get<std::vector<uint32_t>>()), answer);
    }
    case DeviceCall::Time: {
      const auto program = request.get<uint32_t>();
      double microseconds = 0;
      putStatus(runner_->time(program, request.get<uint32_t>(), microseconds), answer);
      return answer.put(microseconds);
    }
    case DeviceCall::Trace: {
      QueueTrace trace;
      putStatus(runner_->trace(request.get<uint32_t>(), trace), answer);
      return answer.put(trace);
    }
    case DeviceCall::Contents:
      outputs_ = {runner_->contents(request.get<uint32_t>())};
      answer.put(runner_->loss());
      return answer.putBulk(outputs_[0]);
    default: {
      auto errors = runner_->takeValidationErrors();
      return answer.put(runner_->loss(), errors);
    }
    }
  }

  void run(MessageReader& request, MessageWriter& answer) {
    const auto program = request.get<uint32_t>();
    const std::vector<BufferInput> inputs = request.getInputs();
    const RunStatus status =
        runner_->run(program, inputs, request.get<std::vector<uint32_t>>(), outputs_);
    if (status) outputs_.clear();
    putStatus(status, answer);
    std::vector<uint64_t> sizes;
    for (const std::vector<uint8_t>& output : outputs_) sizes.push_back(output.size());
    answer.put(sizes, runner_->secondsOfRun());
    for (const std::vector<uint8_t>& output : outputs_) answer.putBulk(output);
  }

  void putStatus(const RunStatus& status, MessageWriter& answer) {
    answer.put(runner_->loss(), status);
  }

  DeviceConnection& connection_;
  DriverActivity& activity_;
  std::unique_ptr<FoundDevice> found_;
  std::pair<std::string, bool> foundFor_; ///< device and validationLayer
  std::unique_ptr<Runner> runner_;
  std::vector<uint8_t> bulk_;
  std::vector<std::vector<uint8_t>> outputs_; ///< until they are sent
};

} // namespace

void serveDevice(DeviceConnection& connection, DriverActivity& activity) {
  DeviceService(connection, activity).serve();
}

} // namespace lanewise::driver
