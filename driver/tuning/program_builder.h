// Makes the shaders of a scenario in one way or another.
#pragma once

#include "input/workload.h"
#include "lanewise/buffer_layout.h"
#include "lanewise/remarks.h"
#include "lanewise/result.h"
#include "lanewise/target_profile.h"
#include "tuning/candidate.h"
#include "tuning/space.h"
#include "verify/program/program.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace lanewise::driver {

/// The shaders of the scenario's dispatches as one candidate has them.
struct BuiltProgram {
  Candidate candidate;
  std::map<std::string, Words> modules; ///< by the scenario's names, without lines of source
  std::map<std::string, std::map<uint32_t, uint64_t>> constants; ///< SpecId -> bits, by shader
  std::map<std::string, uint32_t> subgroupSizes; ///< that pipelines require, by shader; or none
  std::vector<ScenarioDispatch> dispatches;
  uint32_t repeat = 1;
  LayoutManifest layouts;
  Remarks remarks;
  std::string digest; ///< of all that is measured: equal ones need not be measured twice

  /// The host must follow.
  bool isForHost() const { return candidate.isForHost() || !layouts.buffers.empty(); }
  /// 0: none.
  uint32_t subgroupSizeOf(const std::string& shader) const {
    const auto found = subgroupSizes.find(shader);
    return found == subgroupSizes.end() ? 0 : found->second;
  }
};

class ProgramBuilder {
public:
  /// Reads the scenario and its shaders. The error is one line.
  static Result<ProgramBuilder> create(const ScenarioChoice& choice, const LoadOptions& load,
                                       const TargetProfile& target);

  const Scenario& scenario() const { return shaders_->scenario(); }
  const ScenarioShaders& shaders() const { return *shaders_; }
  std::vector<const ScenarioShader*> used() const { return shaders_->used(); }
  /// A module as files know it.
  const Words& inputOf(const std::string& shader) const { return inputs_.at(shader); }
  const LoadedModule& moduleOf(const std::string& shader) const { return loaded_.at(shader); }
  const TargetProfile& target() const { return target_; }

  /// The error is one sentence: a constraint that does not hold, a parameter that would change what
  /// is compared, a constant that cannot be fixed.
  Result<BuiltProgram> build(const Candidate& candidate);

  /// Whether the scenario's constraints hold for these values of parameters.
  bool meetsConstraints(const Parameters& values) const;

  /// Of the workgroups as these values of parameters make them.
  Result<SpaceFacts> facts(const Parameters& values);

private:
  ProgramBuilder() = default;
  Result<std::shared_ptr<const ScenarioShaders>> shadersWith(const Parameters& values);
  /// With constants of the types that the modules give them.
  Result<std::shared_ptr<const ScenarioShaders>> settled(ScenarioShaders shaders) const;
  Result<LoadedModule> moduleFor(const ScenarioShader& shader, bool freezes) const;

  ScenarioChoice choice_;
  LoadOptions load_;
  TargetProfile target_;
  std::shared_ptr<const ScenarioShaders> shaders_;
  std::map<Parameters, std::shared_ptr<const ScenarioShaders>> byValues_;
  std::map<std::string, LoadedModule> loaded_; ///< by shader
  std::map<std::string, Words> inputs_;
};

} // namespace lanewise::driver
