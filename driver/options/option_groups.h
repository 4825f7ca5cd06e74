// Groups of options that several commands have: each option is declared, read and checked here and
// nowhere else. What a group sets is the struct that the command hands on whole.
#pragma once

#include "batch/cache/store.h"
#include "input/constant_use.h"
#include "input/front_end.h"
#include "input/workload.h"
#include "lanewise/assumptions.h"
#include "lanewise/result.h"
#include "options/command_line.h"
#include "recorded/recorded_pipelines.h"
#include "recorded/tuning_file.h"
#include "support/depfile.h"
#include "support/isolate.h"
#include "verify/verify.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lanewise::driver {

/// -x, -I, -D and --entry. `entryHelp` says what the entry point is to the command.
void addSourceOptions(CommandLine& line, LoadOptions& load,
                      std::string entryHelp = "entry point (of HLSL: the function to compile)");
/// Those of them that were typed, as words for another command: without -x, --shader-stage and
/// --entry, which scenarios say, and without --project.
std::vector<std::string> typedSourceOptions(const CommandLine& line);
/// --target-env.
void addEnvironmentOption(CommandLine& line, LoadOptions& load);

/// --spec-const and --workgroup-size; the constants go to `given`, for their types are the
/// module's. With `scenario`, whose [[shader]] says both, they are refused beside one, as is an
/// --entry in `load`.
void addAssumptionOptions(CommandLine& line, Assumptions& assumptions, GivenConstants& given);
void refuseBesideScenario(CommandLine& line, const ScenarioChoice& scenario);

/// --pipelines, which is read at once; refused beside a scenario, which says all that itself.
void addPipelinesOption(CommandLine& line, PipelinesChoice& pipelines);

/// --tuning, which is read at once, and what picks from it.
void addTuningOptions(CommandLine& line, TuningChoice& tuning);
/// --tuning-host, for commands whose host can follow.
void addTuningHostOption(CommandLine& line, TuningChoice& tuning);

/// --scenario and --size.
void addScenarioOptions(CommandLine& line, ScenarioChoice& scenario, std::string help);
/// --size alone, for commands that are given the scenario as such.
void addSizeOption(CommandLine& line, ScenarioChoice& scenario);
/// --shader.
void addShaderOption(CommandLine& line, ScenarioChoice& scenario);

/// --target; what it names is read by targets/.
void addTargetOption(CommandLine& line, std::string& target);

/// Where and how to dispatch: --device, --validation-layer, --timeout, --seed and those of the
/// interpreter.
void addDeviceOptions(CommandLine& line, VerifyOptions& options);
/// --timeout.
void addTimeoutOption(CommandLine& line, double& seconds, std::string help);
/// --no-timing.
void addTimingOption(CommandLine& line, VerifyOptions& options);
/// --require-verified and --require-coverage, which implies it.
void addRequirementOptions(CommandLine& line, bool& requiresVerified, bool& requiresCoverage,
                           std::string requiresVerifiedHelp);

/// How modules are validated: our options and spirv-opt's.
void addValidationOptions(CommandLine& line, ValidationOptions& options);

/// --isolation-timeout and --no-isolation.
void addIsolationOptions(CommandLine& line, IsolationLimits& limits);

/// -MD, -MF, -MP, and with `hasTarget` -MT.
void addDepfileOptions(CommandLine& line, DepfileOptions& depfile, bool hasTarget);
/// --color, which every command has.
void addColorOption(CommandLine& line);

/// -j: worker processes, from 1; by default one per core.
void addJobsOption(CommandLine& line, uint32_t& jobs);
/// --cache and --cache-size.
void addCacheOptions(CommandLine& line, CacheOptions& cache);
/// "500M", "5G", "0": bytes, with K, M, G or T for powers of 1024.
std::optional<uint64_t> parseSize(const std::string& text);

/// --write-if-changed.
void addWriteIfChangedOption(CommandLine& line, bool& writesIfChanged);

/// "ID:VALUE" of --spec-const.
Result<std::pair<uint32_t, SpecValue>> parseSpecConstant(const std::string& text);

/// What is wrong with inputs that a command reads one by one: none, one without a name, "-" beside
/// others. `none` is the message for none.
Status checkInputs(const std::vector<std::string>& inputs, std::string none);

/// A file that is written must be none of those that the command reads or writes
/// otherwise (`others`; empty names and "-" do not count).
Status checkIsAnother(const std::string& path, const std::vector<std::string>& others);
/// And it must be writable.
Status checkDestination(const std::string& path, const std::vector<std::string>& others);

} // namespace lanewise::driver
