// Dispatches programs: many workgroups on the host's threads, in a chosen order of lanes.
#pragma once

#include "lanewise/target_profile.h"
#include "verify/formats/image_shape.h"
#include "verify/interpreter/code/program.h"
#include "verify/interpreter/run/findings.h"
#include "verify/interpreter/run/observer.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lanewise::driver::interpreter {

/// In which order the lanes of a workgroup run between two points where they meet, and the
/// workgroups of a dispatch start.
enum class LaneOrder : uint8_t {
  Forward,
  Reverse,
  Interleaved, ///< the first lane of each subgroup, then the second of each, and so on
  Random,      ///< seeded
  Alternating  ///< forward, but the others get a turn after each atomic of a lane
};

/// Steps in loops after which other lanes get a turn, and the limit of a lane is looked at.
inline constexpr uint64_t kLoopSlice = uint64_t(1) << 18;

struct MachineOptions {
  LaneOrder order = LaneOrder::Forward;
  uint64_t seed = 1;                            ///< of LaneOrder::Random
  uint32_t subgroupSize = kDefaultSubgroupSize; ///< 4 to 128, a power of two
  uint32_t threads = 0;                         ///< 0: as many as the host has
  uint64_t stepLimit = uint64_t(1) << 28;       ///< instructions in loops of one lane
  uint64_t instructionLimit = UINT64_MAX;       ///< of one workgroup, looked at in loops
  /// Accesses that the history of one buffer or variable may hold (history.h). Beyond that four of
  /// a place are kept.
  uint64_t mostRuns = uint64_t(1) << 22;
  Observer* observer = nullptr;
  double timeoutSeconds = 0; ///< by a Stopwatch; negative: over already; 0: no limit
  /// Which workgroups run, as linear indices (x first) without repeats. Empty: all of them.
  std::span<const uint32_t> workgroups;
  /// Workgroups start in the order of `workgroups` whatever `order` says of lanes: a program may
  /// wait for those before it.
  bool keepsWorkgroupOrder = false;
};

/// A buffer or an image as the dispatches of a program share it.
struct BufferMemory {
  std::span<uint8_t> bytes;
  std::string name;
  /// One flag for each byte: written, or filled from outside. Empty: all of it is. The dispatches
  /// set what they write.
  std::span<uint8_t> written{};
  /// One flag for each page of kDirtyBytes (memory.h), set where a dispatch stores. Where it is
  /// given, no byte of `written` is set outside those pages. Empty: nobody asks.
  std::span<uint8_t> dirty{};
  /// What the image is, as long as `bytes` are; null: a buffer.
  const ImageShape* image = nullptr;
};

struct BufferBinding {
  uint32_t set = 0, binding = 0;
  uint32_t element = 0; ///< of an array of descriptors
  /// Index into the buffers. Of a sampler: of an image that has its settings.
  uint32_t buffer = 0;
};

struct Dispatch {
  const Program* program = nullptr;
  std::array<uint32_t, 3> groups{1, 1, 1};
  std::span<const BufferBinding> bindings;
  std::span<const uint8_t> pushConstants;
};

struct DispatchResult {
  /// The same with any number of threads, unless workgroups race: then each finds what others have
  /// stored so far.
  std::vector<Finding> findings;
  uint64_t instructions = 0; ///< of the interpreter's code
  bool ended = true;         ///< false after an endless loop
  bool timedOut = false;     ///< not all workgroups have run
  /// By Program's edges: not 0 where some lane took it. The same with any number of threads; empty
  /// where the dispatch did not end.
  std::vector<uint8_t> edges = {};
};

/// Device address of the first byte of a buffer, for pointers that stand in buffers.
uint64_t deviceAddress(uint32_t buffer);

/// Runs a dispatch. An Error says what the machine lacks: a binding, too large a workgroup.
Result<DispatchResult> dispatch(const Dispatch& what, std::span<BufferMemory> buffers,
                                const MachineOptions& options);

} // namespace lanewise::driver::interpreter
