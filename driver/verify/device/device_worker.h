// A process of its own for Vulkan's drivers: what they die of is told by a RunFailure. Why a forked
// child, and when: docs/design/isolation.md.
#pragma once

#include "verify/device/device_connection.h"
#include "verify/device/driver_activity.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace lanewise::driver {

/// What the worker gave back. `bulkBytes` more are to be received.
struct DeviceAnswer {
  std::string head;
  uint64_t bulkBytes = 0;
};

class DeviceWorker {
public:
  /// What the process does: answers requests until their connection ends.
  using Serve = std::function<void(DeviceConnection&, DriverActivity&)>;

  /// Starts the process. This one must not have called Vulkan: what a driver has (threads, devices)
  /// does not survive a fork.
  explicit DeviceWorker(const Serve& serve);
  /// Ends it, and waits until it is gone.
  ~DeviceWorker();
  DeviceWorker(const DeviceWorker&) = delete;
  DeviceWorker& operator=(const DeviceWorker&) = delete;

  /// For one submission, as RunnerOptions::timeoutSeconds. The worker itself stops waiting for a
  /// program after this time; what it takes much longer is stopped from here.
  void setTimeout(double seconds) { timeoutSeconds_ = seconds; }

  /// Sends a request and receives the head of the answer to it.
  RunStatus ask(const MessageWriter& request, DeviceAnswer& answer);
  RunStatus receive(std::span<uint8_t> bulk);

  /// For an answer that says that the device is lost: ends the process.
  void lose(RunFailure why);
  /// For one that is no answer.
  RunStatus loseToInvalidAnswer();

  /// Why there is no process any more.
  const RunStatus& loss() const { return loss_; }
  pid_t process() const { return process_; } ///< for tests

private:
  struct Unmap {
    void operator()(DriverActivity* activity) const;
  };

  Status start(const Serve& serve);
  std::chrono::milliseconds timeLeft(DeviceConnection::Clock::time_point moved);
  double limitSeconds() const;
  RunFailure failureOfExit();
  int end(); ///< gives the process's status

  std::unique_ptr<DriverActivity, Unmap> activity_; ///< in memory shared with the process
  std::optional<DeviceConnection> connection_;
  pid_t process_ = -1;
  double timeoutSeconds_ = 60;
  RunStatus loss_;
};

} // namespace lanewise::driver
