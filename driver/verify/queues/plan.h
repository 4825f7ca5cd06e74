// What a scenario submits to its queues, with all of its frames written out: submissions in the
// order in which the host makes them, the commands of each, and the semaphores, fences and barriers
// between them. docs/queues.md is the reference for users.
//
// Numbers are places in the lists of the same plan, or of the scenario's dispatches and buffers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lanewise::driver {

/// Where something stands in the scenario's file. Columns are from 1, in bytes.
struct TextPlace {
  uint32_t line = 0, column = 0; ///< line 0: nowhere
  bool operator==(const TextPlace&) const = default;
  auto operator<=>(const TextPlace&) const = default;
};

enum class QueueKind : uint8_t { Compute, Transfer, Graphics };

struct PlannedQueue {
  std::string name;
  QueueKind kind = QueueKind::Compute;
  /// Of the device. Without it a kind is a family of its own, where the device has one.
  std::optional<uint32_t> family;
  TextPlace at;
  bool isInFamilyOf(const PlannedQueue& other) const {
    return family == other.family && (family || kind == other.kind);
  }
};

/// A timeline semaphore.
struct PlannedSemaphore {
  std::string name;
  uint64_t initial = 0;
  TextPlace at;
};

/// Pipeline stages, as a set. The counts of an indirect dispatch are read in a stage of their own.
using Stages = uint8_t;
constexpr Stages kComputeStage = 1, kTransferStage = 2, kIndirectStage = 4, kAllStages = 7;
constexpr uint32_t kStageCount = 3;

/// A wait for a value, or the signal of one.
struct SemaphoreUse {
  uint32_t semaphore = 0;
  uint64_t value = 0;         ///< of a wait: this or more
  Stages stages = kAllStages; ///< of a wait: that start behind it; of a signal: that it covers
  TextPlace at;
};

/// A memory barrier over everything, in front of a command.
struct PlannedBarrier {
  Stages from = kAllStages, to = kAllStages;
  bool operator==(const PlannedBarrier&) const = default;
};

/// Bytes from one buffer to another, or to another place in the same.
struct PlannedCopy {
  uint32_t from = 0, to = 0; ///< buffers
  uint64_t fromOffset = 0, toOffset = 0, bytes = 0;
  bool operator==(const PlannedCopy&) const = default;
};

/// Half of a queue family ownership transfer; the other half stands on the other queue.
struct OwnershipTransfer {
  bool isRelease = false;
  uint32_t buffer = 0, otherQueue = 0;
};

struct PlannedCommand {
  enum class Kind : uint8_t { Dispatch, Copy, Ownership };
  Kind kind = Kind::Dispatch;
  std::string name;      ///< for messages: "simulate", "copy of `a` to `b`"
  uint32_t dispatch = 0; ///< of the scenario, where it is one
  bool isIndirect = false;
  PlannedCopy copy;
  OwnershipTransfer ownership;
  std::optional<PlannedBarrier> barrier; ///< in front of it
  TextPlace at;
};

/// The host waits before it makes a submission: for a fence or for the value of a semaphore.
struct HostWait {
  std::optional<uint32_t> fence; ///< the number of a submission that signals it
  uint32_t semaphore = 0;
  uint64_t value = 0;
  TextPlace at;
};

struct PlannedSubmission {
  std::string name;
  uint32_t queue = 0, frame = 0;
  std::vector<HostWait> hostWaits;
  std::vector<SemaphoreUse> waits, signals;
  std::vector<PlannedCommand> commands;
  std::optional<std::string> fence; ///< that it signals when all is done
  TextPlace at;
};

struct QueuePlan {
  std::vector<PlannedQueue> queues;
  std::vector<PlannedSemaphore> semaphores;
  std::vector<PlannedSubmission> submissions;
  uint32_t frames = 1;
  /// The host submits a frame only once the one that is so many before it is done; 0: it never
  /// waits.
  uint32_t framesInFlight = 0;
  std::vector<uint32_t> exclusive; ///< buffers that a queue family owns
};

/// A command of a plan.
struct CommandRef {
  uint32_t submission = 0, command = 0;
  bool operator==(const CommandRef&) const = default;
  auto operator<=>(const CommandRef&) const = default;
};

inline const PlannedCommand& commandAt(const QueuePlan& plan, CommandRef at) {
  return plan.submissions[at.submission].commands[at.command];
}

} // namespace lanewise::driver
