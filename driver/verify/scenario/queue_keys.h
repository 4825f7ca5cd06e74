// The keys of a scenario that has queues: [[queue]], [[semaphore]], [[submit]]. A part of the
// reader of scenarios, which knows what a dispatch and a buffer are.
#pragma once

#include "verify/queues/plan.h"
#include "verify/scenario/scenario_toml.h"

#include <string_view>
#include <vector>

namespace lanewise::driver {

class QueueKeys : protected ScenarioToml {
protected:
  QueueKeys(const std::string& path, Scenario& scenario)
      : ScenarioToml(path), scenario_(scenario) {}
  virtual ~QueueKeys() = default;

  /// Reads all of them into the scenario, frame by frame, with its dispatches and copies in an
  /// order in which one queue could run them.
  void readQueues(const toml::table& root, bool keepsFaults);
  /// While submissions are read.
  bool isInSubmission() const { return isInSubmission_; }
  uint32_t frame() const { return frame_; }

  virtual ScenarioDispatch readDispatch(const toml::table& table) = 0;
  /// The name of a buffer or an image that there is, or of this frame's: { frames = [...] }.
  virtual std::string boundName(const toml::node& value) = 0;

private:
  void readQueue(const toml::table& table);
  void readSemaphore(const toml::table& table);
  void readFrames(const toml::table& root);
  void readSubmission(const toml::table& table, uint32_t number);
  bool isOfThisFrame(const toml::table& table);
  void readCommands(const toml::table& table, PlannedSubmission& submission);
  void readCommand(std::string_view kind, const toml::table& table, PlannedSubmission& submission);
  void readDispatchCommand(const toml::table& table, PlannedCommand& command);
  void readCopy(const toml::table& table, PlannedCommand& command);
  void readOwnership(const toml::table& table, bool isRelease, PlannedCommand& command);
  void readBarrier(const toml::table& table, bool isFirst, PlannedCommand& command);
  void readUses(const toml::table& table, const char* key, std::vector<SemaphoreUse>& to);
  SemaphoreUse readUse(const toml::node& node, std::string_view key);
  void readHostWaits(const toml::table& table, PlannedSubmission& submission);
  HostWait readHostWait(const toml::node& node);
  void checkHostWait(const toml::table& table);
  HostWait readFenceWait(const toml::table& table);
  Stages readStages(const toml::node& node, std::string_view key);
  uint64_t readValue(const toml::table& table, const char* key);
  uint32_t numberOf(const toml::node& node, std::string_view key, std::string_view kind,
                    const std::vector<std::string>& names);
  uint32_t bufferOf(const toml::node& node);
  std::vector<std::string> queueNames() const;
  std::vector<std::string> semaphoreNames() const;
  void checkQueues(const toml::table& root, bool keepsFaults);
  void putInOrder();

  Scenario& scenario_;
  QueuePlan plan_;
  std::vector<ScenarioDispatch> dispatches_; ///< in the host's order
  bool isInSubmission_ = false;
  uint32_t frame_ = 0;
};

} // namespace lanewise::driver
