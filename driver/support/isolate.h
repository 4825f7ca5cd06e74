// Runs third-party code where it cannot hurt: a crash, an endless loop or running out of memory
// becomes an Error. docs/design/isolation.md says why a forked child, and what it costs.
#pragma once

#include "lanewise/result.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::driver {

struct IsolationLimits {
  /// Wall-clock time after which the work is stopped; 0 for no limit.
  std::chrono::milliseconds time = std::chrono::seconds(120);
  /// Most bytes of memory that the work may hold; 0 for the machine's memory. Not enforced under
  /// AddressSanitizer, whose shadow memory counts.
  uint64_t memoryBytes = 0;
  /// Off: run in this process, for comparison and for debuggers.
  bool fork = true;
  /// The same for Vulkan's drivers (verify/program/runner.h). isolate() has no use for it.
  bool forksForDrivers = true;
};

/// Runs `work` in a forked child and gives back the bytes that it returned. An Error that `work`
/// returns comes back with its message (and nothing else of it). A signal, an exception, an exit or
/// an exceeded limit is an Error as well, whose message begins with "crashed", "threw", "exited" or
/// "timed out". What `work` prints is swallowed, except that the message of a crash ends in the
/// last line printed.
///
/// The child has only the calling thread. `work` must therefore not need other threads, nor locks
/// that they may hold (memory allocation is safe), and what it changes in memory is lost.
Result<std::string> isolate(const std::function<Result<std::string>()>& work,
                            const IsolationLimits& limits = {});

/// Sets the memory limit of this process and its children as isolate() does for its own children.
void limitMemory(const IsolationLimits& limits);

/// How many calls of isolate() in this process ended by a limit (time, memory, the kernel's killer
/// of large processes): another time, on another machine, they may not.
uint64_t callsEndedByLimits();

/// For work that returns more than one thing: strings as one string of bytes, and back.
std::string packStrings(std::span<const std::string> strings);
std::vector<std::string> unpackStrings(std::string_view bytes);

/// Sets the limits that the rest of the driver's calls use (`--isolation-timeout`,
/// `--no-isolation`).
void setDefaultIsolation(const IsolationLimits& limits);
const IsolationLimits& defaultIsolation();

} // namespace lanewise::driver
