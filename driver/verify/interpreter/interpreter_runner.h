// The interpreter as a device of `verify`.
#pragma once

#include "lanewise/target_profile.h"
#include "verify/interpreter/run/machine.h"
#include "verify/interpreter/run/memory.h"
#include "verify/program/runner.h"

#include <array>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace lanewise::driver {

/// What `--device=interpreter` names.
constexpr const char* kInterpreterName = "interpreter";
/// Subgroups have 4 to 128 lanes, a power of two.
DeviceInfo interpreterInfo(uint32_t subgroupSize = kDefaultSubgroupSize);

/// Watches the dispatches of a run, one after the other. Objects of addresses are buffers, from 1
/// on.
class RunObserver : public interpreter::Observer {
public:
  /// The dispatch of the sequence that comes now; one of no workgroups goes no further.
  virtual void atDispatch(uint32_t /*index*/) {}
  /// What follows happens in a dispatch of this shader, one of the program's.
  virtual void beginDispatch(uint32_t shader, const interpreter::Program& code,
                             const std::array<uint32_t, 3>& groups) = 0;
};

/// Lowered shaders, for runners that are given the same ones again and again.
class CodeCache {
public:
  Result<std::shared_ptr<const interpreter::Program>> lower(const ProgramShader& shader,
                                                            uint32_t subgroupSize);

private:
  using Key = std::tuple<std::string, std::map<uint32_t, uint64_t>, Words, uint32_t>;
  std::map<Key, std::shared_ptr<const interpreter::Program>> known_;
};

/// How much of a program runs, and how.
struct InterpreterPlan {
  interpreter::LaneOrder order = interpreter::LaneOrder::Forward;
  /// Repetitions of the sequence; 0: the program's own.
  uint32_t repeat = 0;
  /// By dispatch of the sequence: the workgroups that run. Empty: all, of all or of that dispatch.
  std::span<const std::vector<uint32_t>> workgroups;
  /// By dispatch: its workgroups start in their order, whatever the order of lanes. Empty: none.
  std::vector<bool> keepsWorkgroupOrder;
  double timeoutSeconds = 60; ///< for the whole, by a Stopwatch
  uint64_t stepLimit = interpreter::MachineOptions().stepLimit;
  /// Inputs of the same number are the same bytes at the same place: then only what the run before
  /// has changed is put back. 0: they have none.
  uint64_t inputsNumber = 0;
  RunObserver* observer = nullptr;
};

/// What a run left in the pages of a buffer that it stored to, and only there.
struct TouchedPages {
  std::vector<uint32_t> pages; ///< ascending, in units of interpreter::kDirtyBytes
  std::vector<uint8_t> bytes;  ///< page after page; the last of the buffer may be shorter
};

/// Runs programs in the interpreter. As a Runner, the first run of a program takes lanes in order,
/// each later one in another order (reverse, interleaved over subgroups, random, with a turn for
/// the others behind each atomic), so that a program which depends on it does not agree with
/// itself. What it finds waits in takeFindings().
///
/// The first program is the original, which runs before the others with each inputs: a loop of
/// another that by far outlasts all of the original's work counts as one that does not end.
///
/// Once workgroups of a program race, that run is done again, and it and all later ones on one
/// thread: what a workgroup finds where another stores is a matter of the host's threads.
class InterpreterRunner final : public Runner {
public:
  /// `code` must outlive it; null: it lowers all shaders itself.
  InterpreterRunner(double timeoutSeconds, uint32_t subgroupSize, CodeCache* code = nullptr);

  const DeviceInfo& device() const override { return info_; }
  RunStatus loss() const override { return {}; }
  RunStatus makeResources(std::span<const ResourceShape> shapes) override;
  RunStatus addProgram(const Program& program) override;
  std::vector<PipelineStatistics> statistics(uint32_t program) override;
  RunStatus run(uint32_t program, std::span<const BufferInput> inputs,
                std::span<const uint32_t> read,
                std::vector<std::vector<uint8_t>>& outputs) override;
  RunStatus beginTiming(std::span<const BufferInput> inputs,
                        std::span<const uint32_t> restored) override;
  RunStatus time(uint32_t program, uint32_t repetitions, double& microseconds) override;
  std::vector<uint8_t> contents(uint32_t buffer) override { return buffers_[buffer]; }
  std::vector<std::string> takeValidationErrors() override { return {}; }
  std::vector<RunFinding> takeFindings() override { return std::exchange(findings_, {}); }
  Exercised takeExercised(uint32_t program) override;

  /// Runs by a plan; what the buffers hold then stays until the next run.
  RunStatus execute(uint32_t program, std::span<const BufferInput> inputs,
                    const InterpreterPlan& plan);
  /// The pages of a buffer that the last run stored to.
  TouchedPages touched(uint32_t buffer) const;
  /// Instructions of the interpreter's code in the last run, by dispatch of the sequence.
  const std::vector<uint64_t>& instructions() const { return instructions_; }
  /// Workgroups that the dispatches of the sequence have, as of its last repetition.
  const std::vector<uint64_t>& workgroups() const { return workgroups_; }
  /// Whether workgroups of a dispatch may speak to one another through atomics on buffers.
  bool hasStorageAtomics(uint32_t program, uint32_t dispatch) const;
  /// Whether any of its dispatches has atomics, on whatever memory.
  bool hasAtomics(uint32_t program) const;
  const interpreter::Program& code(uint32_t program, uint32_t shader) const {
    return *programs_[program].shaders[shader];
  }

private:
  struct LoweredProgram {
    Program program;
    std::vector<std::shared_ptr<const interpreter::Program>> shaders;
    uint32_t runs = 0;
    Exercised exercised = {};
  };

  uint32_t lanesOf(const ProgramShader& shader) const {
    return shader.subgroupSize != 0 ? shader.subgroupSize : info_.subgroupSize;
  }
  void upload(std::span<const BufferInput> inputs, uint64_t number);
  void restore(size_t buffer, const BufferInput& input);
  RunStatus runSequence(LoweredProgram& lowered, const InterpreterPlan& plan);
  void runCopies(const Program& program, uint32_t before);
  void runCopy(const PlannedCopy& copy);
  RunStatus runDispatch(LoweredProgram& lowered, uint32_t index, bool isAfterPart,
                        const InterpreterPlan& plan, double seconds);
  RunStatus readGroups(const LoweredProgram& lowered, uint32_t index, bool isAfterPart,
                       std::array<uint32_t, 3>& groups);
  void addFinding(const interpreter::Program& program, const std::string& shader,
                  const interpreter::Finding& finding,
                  std::span<const interpreter::BufferBinding> bindings, bool isAfterPart);

  double timeoutSeconds_;
  CodeCache* code_;
  DeviceInfo info_;
  std::vector<std::vector<uint8_t>> buffers_;
  std::vector<std::vector<uint8_t>> written_; ///< by byte, of buffers that nobody filled
  std::vector<ResourceShape> shapes_;
  std::vector<bool> isAllWritten_;          ///< in place of written_, after part of a dispatch
  std::vector<std::vector<uint8_t>> dirty_; ///< by page
  /// By buffer: what it holds where it is not dirty, the number of inputs or a fill pattern.
  std::vector<std::pair<uint64_t, std::optional<uint8_t>>> bases_;
  std::vector<std::pair<uint32_t, std::vector<uint8_t>>> pristine_;
  std::vector<LoweredProgram> programs_;
  std::vector<RunFinding> findings_;
  bool workgroupsRace_ = false; ///< in some run of some program
  std::vector<uint64_t> instructions_, workgroups_;
  std::optional<uint64_t> instructionsOfFirst_; ///< of the first program's last run that ended
};

} // namespace lanewise::driver
