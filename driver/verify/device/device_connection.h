// One end of the connection between a program and the worker process that has the device.
#pragma once

#include "support/files.h"
#include "verify/device/device_messages.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace lanewise::driver {

/// Sends and receives whole messages. After a function has given false, the connection is of no use
/// and fault() says why.
class DeviceConnection {
public:
  enum class Fault : uint8_t {
    Ended,        ///< the other side is gone
    Overdue,      ///< the time is over
    InvalidLength ///< a length that no message has
  };
  using Clock = std::chrono::steady_clock;
  /// How much time is left for the next bytes to go or come, where the last ones did at `moved`;
  /// asked several times a second. Null: no limit.
  using TimeLeft = std::function<std::chrono::milliseconds(Clock::time_point moved)>;

  explicit DeviceConnection(Descriptor socket, TimeLeft timeLeft = {})
      : socket_(std::move(socket)), timeLeft_(std::move(timeLeft)) {}

  bool send(const MessageWriter& message);
  /// The head of the next message, and how many bytes of bulk come behind it: receive them next.
  bool receive(std::string& head, uint64_t& bulkBytes);
  bool receive(std::span<uint8_t> bulk);

  int socket() const { return socket_.get(); }
  Fault fault() const { return fault_; }

private:
  bool sendBytes(const void* data, size_t bytes);
  bool receiveBytes(void* data, size_t bytes);
  bool wait(short events);

  Descriptor socket_;
  TimeLeft timeLeft_;
  Clock::time_point moved_;
  Fault fault_ = Fault::Ended;
};

} // namespace lanewise::driver
