// Runs programs (sequences of dispatches) on a Vulkan device. No Vulkan type shows here: only
// vulkan_runner.cpp includes the C++ headers, which are slow to compile.
//
// Drivers run in a worker process, so that what they die of is a failure like others
// (docs/design/isolation.md); with --no-isolation they run in this one.
//
// What a binding names is called a buffer here, be it a buffer or an image: an image is its
// contents as bytes (image_shape.h says in which order) on the way in and out.
#pragma once

#include "lanewise/target_profile.h"
#include "verify/compare/run_findings.h"
#include "verify/program/exercised.h"
#include "verify/program/program.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lanewise::driver {

struct DeviceInfo {
  uint32_t index = 0;     ///< as `--device` takes it
  std::string name, type; ///< type: "discrete GPU", "integrated GPU", "virtual GPU", "CPU", "null",
                          ///  "other"
  std::string driver;     ///< name and version
  std::string apiVersion; ///< "1.3.230"
  uint32_t subgroupSize = 0;
  /// What a pipeline may require instead (VkPipelineShaderStageRequiredSubgroupSizeCreateInfo);
  /// both 0 where it may not.
  uint32_t minSubgroupSize = 0, maxSubgroupSize = 0;
  uint32_t sharedMemoryBytes = 0;
  uint32_t storageBufferBytes = 0; ///< maxStorageBufferRange; 0 where it is not known
  bool hasTimestamps = false;
  bool isCpu = false;
  bool isInterpreter = false; ///< Lanewise's own: its times mean nothing
  bool onlyCompiles = false;  ///< a driver without its GPU: type "null"
};

struct RunnerOptions {
  std::string device; ///< as in VerifyOptions
  bool validationLayer = false;
  /// Enables robustBufferAccess where the device has it: out-of-range accesses do no harm, at some
  /// cost in speed. For inputs that were generated.
  bool robustAccess = false;
  double timeoutSeconds = 60;
  uint32_t subgroupSize = kDefaultSubgroupSize; ///< of the interpreter
  /// Goes through staging buffers on CPU devices as well, for tests.
  bool alwaysStages = false;
  /// Opens queues of all families, for programs that are submitted to several.
  bool hasQueues = false;
};

/// What the driver tells of one pipeline (VK_KHR_pipeline_executable_properties): name -> value as
/// text.
using PipelineStatistics = std::vector<std::pair<std::string, std::string>>;

struct RunFailure {
  enum class Kind : uint8_t {
    Unsupported, ///< the device lacks something that the program needs
    DeviceLost,
    Timeout,       ///< the program, or the driver at work on it, did not end in time
    DriverCrashed, ///< or ended its process
    Other
  };
  Kind kind = Kind::Other;
  std::string message; ///< one sentence
};
using RunStatus = std::optional<RunFailure>; ///< nothing: it worked

/// Initial contents of a buffer: bytes, or one byte everywhere. Neither: it keeps what it holds,
/// for buffers that a program does not see.
struct BufferInput {
  std::span<const uint8_t> bytes;
  std::optional<uint8_t> fill;
  bool isLeftOut() const { return bytes.empty() && !fill; }
};

/// A buffer or an image to make.
struct ResourceShape {
  uint64_t bytes = 0; ///< of an image those of its shape
  std::optional<ImageShape> image;
  /// The resource that it stands for in a program of another layout; null: itself.
  std::optional<uint32_t> standsFor = {};
};

/// When the commands of a program on queues ran.
struct QueueTrace {
  struct Command {
    uint32_t submission = 0, command = 0; ///< of the plan
    double begin = 0, end = 0;            ///< microseconds from the first that began
  };
  std::vector<Command> commands;   ///< those of queues that have timestamps
  std::vector<std::string> queues; ///< by queue of the plan: what stands for it on the device
  uint32_t deviceQueues = 0;       ///< that are different
  bool areComparable = false;      ///< times of different queues are on one clock
};

class Runner {
public:
  virtual ~Runner() = default;

  virtual const DeviceInfo& device() const = 0;
  /// Why it cannot be used any more: a lost device, a program or driver that does not end, a driver
  /// that crashed. Every later call fails, and only destroying it makes sense.
  virtual RunStatus loss() const = 0;
  bool isUsable() const { return !loss(); }

  /// Forgets all buffers and programs, and makes buffers and images, numbered as given.
  virtual RunStatus makeResources(std::span<const ResourceShape> shapes) = 0;
  /// The same for buffers of these sizes.
  RunStatus makeBuffers(std::span<const uint64_t> bytes) {
    std::vector<ResourceShape> shapes;
    for (uint64_t size : bytes) shapes.push_back({size, std::nullopt});
    return makeResources(shapes);
  }
  /// Adds a program over the buffers: compiles, records. Programs are numbered from 0.
  virtual RunStatus addProgram(const Program& program) = 0;
  /// Per shader of a program: what the driver tells of its pipelines, empty where it tells nothing.
  virtual std::vector<PipelineStatistics> statistics(uint32_t program) = 0;

  /// Writes `inputs` (one for each buffer), runs the program once, and reads the buffers named in
  /// `read` into `outputs` (resized to one entry for each buffer; the others stay empty).
  virtual RunStatus run(uint32_t program, std::span<const BufferInput> inputs,
                        std::span<const uint32_t> read,
                        std::vector<std::vector<uint8_t>>& outputs) = 0;
  /// What the last run() took on the device, without its inputs and outputs; 0 where it does not
  /// tell.
  virtual double secondsOfRun() const { return 0; }

  /// Writes `inputs` and keeps device-side copies of the buffers named in `restored`, which time()
  /// puts back before each repetition.
  virtual RunStatus beginTiming(std::span<const BufferInput> inputs,
                                std::span<const uint32_t> restored) = 0;
  /// Runs the program `repetitions` times and gives microseconds for one. Device timestamps around
  /// the dispatches alone, or host time around the submission where the device has none. The
  /// command buffer is kept until the number of repetitions changes.
  virtual RunStatus time(uint32_t program, uint32_t repetitions, double& microseconds) = 0;

  /// When the commands of the last run of a program on queues ran.
  virtual RunStatus trace(uint32_t /*program*/, QueueTrace& /*trace*/) {
    return RunFailure{RunFailure::Kind::Unsupported, "the device does not tell when commands run"};
  }

  /// What a buffer holds now, empty if it cannot be read. For tests of time().
  virtual std::vector<uint8_t> contents(uint32_t buffer) = 0;

  /// What a checking device holds against the programs that ran since the last call.
  virtual std::vector<RunFinding> takeFindings() { return {}; }

  /// What a program's shaders took in its runs since the last call that ended, where the device
  /// tells (the interpreter); else nothing.
  virtual Exercised takeExercised(uint32_t /*program*/) { return {}; }

  /// Errors of the validation layer since the last call, one line each, without repeats.
  virtual std::vector<std::string> takeValidationErrors() = 0;
};

} // namespace lanewise::driver
