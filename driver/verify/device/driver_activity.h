// What a driver was last asked for: when it dies of it, somebody else has to say so.
#pragma once

#include "verify/program/runner.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace lanewise::driver {

/// Holds no pointers, so that it may lie in memory that two processes share. One process writes.
class DriverActivity {
public:
  enum class Kind : uint8_t {
    Starting, ///< nothing yet
    Listing,
    Opening, ///< name: of the device
    MakingBuffers,
    Compiling,           ///< name: of the shader
    DescribingPipelines, ///< name: of the program
    Running              ///< name: of the program, or "a transfer"
  };

  using Clock = std::chrono::steady_clock; ///< is the same in all processes

  void begin(Kind kind, std::string_view name = {});

  /// When begin() was called last: while that moves on, the driver is not stuck.
  Clock::time_point since() const { return since_.load(std::memory_order_acquire); }
  Kind kind() const { return kind_.load(std::memory_order_relaxed); }
  /// The rest only while the writer stands still. A long name is cut.
  std::string name() const;
  /// "while compiling shader `blur`"
  std::string during() const;
  /// The failure where it did not finish within so many seconds.
  RunFailure overdue(double seconds) const;

private:
  std::atomic<Clock::time_point> since_{};
  std::atomic<Kind> kind_ = Kind::Starting;
  char name_[192] = {};
};

/// A program that did not end.
RunFailure overdue(std::string_view program, double seconds);

} // namespace lanewise::driver
