// What the layer saw of a program and its children (layer/protocol.h), put together.
#pragma once

#include "lanewise/result.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lanewise::driver {

/// Dispatches of one pipeline with the same number of workgroups.
struct SizeTimes {
  std::optional<std::array<uint32_t, 3>> groups; ///< nothing: a buffer says it (indirect)
  uint64_t dispatches = 0;
  uint64_t timed = 0;       ///< of them, with a time that counts
  uint64_t overlapping = 0; ///< of them, ran at the same time as another dispatch
  uint64_t unordered = 0;   ///< of them, no barrier stands between it and another dispatch
  double total = 0;         ///< nanoseconds, of those that are timed
  /// Nanoseconds and how many dispatches each stands for. Of dispatches that overlap only where
  /// there are no others.
  std::vector<std::pair<double, uint64_t>> samples, overlappingSamples;
};

/// Pipelines that were made of the same and are called the same are one, whichever device or
/// process made them.
struct PipelineTimes {
  std::string module; ///< SHA-256 of the module; "" where the program did not hand one over
  std::string entry;
  std::string name; ///< of VK_EXT_debug_utils; "" for none
  /// SpecId -> the value's bits, as many as the program gave.
  std::map<uint32_t, uint64_t> constants;
  std::map<uint32_t, std::string> constantTexts; ///< the values, where the module says their type
  uint32_t subgroupSize = 0;                     ///< that the program requires; 0: none
  std::string source; ///< "FILE:LINE" of the entry point; "" where the module has none
  std::array<uint32_t, 3> workgroupSize{}; ///< zeros where it is not known
  uint64_t created = 0;
  uint64_t optimized = 0;       ///< of them, made of an optimized module
  uint64_t kept = 0;            ///< of them, made of a module that the optimizer keeps
  uint64_t late = 0;            ///< of them, optimized too late
  uint64_t pending = 0;         ///< dispatches that were submitted, and whose end nobody saw
  std::vector<SizeTimes> sizes; ///< by their size

  uint64_t dispatches() const;
  uint64_t timed() const;
  uint64_t overlapping() const;
  uint64_t unordered() const;
  double total() const; ///< nanoseconds
  /// Nanoseconds, of all sizes; nothing where no dispatch is timed.
  std::optional<double> median() const;
};

/// Of all that is timed, or where `samples` are none, of those that overlap.
std::optional<double> medianOf(const SizeTimes& size);

struct RunData {
  uint64_t processes = 0;           ///< that loaded the layer
  std::vector<std::string> devices; ///< names, each once
  bool hasGpu = false;              ///< some device is not a CPU
  bool isOfOtherLayer = false;      ///< written by a layer of another version
  std::vector<PipelineTimes> pipelines;
  uint64_t untimable = 0;           ///< dispatches of command buffers that cannot have timestamps
  std::vector<std::string> refused; ///< modules that the driver takes as they are, not optimized
  std::vector<std::string> lost;    ///< why logs could not be written, or not to their end
  /// Times say nothing of a GPU.
  bool isOnCpu() const { return !devices.empty() && !hasGpu; }
  uint64_t pending() const; ///< of all pipelines
  double total() const;     ///< nanoseconds
  /// Those that were dispatched, the dearest first.
  std::vector<const PipelineTimes*> dispatched() const;
};

/// Reads all that lies in `folder`. Lines that a crash cut off are passed over.
Result<RunData> readRunData(const std::string& folder);

/// Source line, workgroup size: what the module in `folder` says of the pipeline.
void describe(PipelineTimes& pipeline, const std::string& folder);

} // namespace lanewise::driver
