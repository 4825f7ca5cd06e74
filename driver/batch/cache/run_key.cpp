#include "batch/cache/run_key.h"

#include "batch/cache/build_identity.h"
#include "verify/device/device_host.h"
#include "verify/program/runner.h"

#include <fmt/format.h>
#include <variant>

namespace lanewise::driver {

namespace {

/// The scenario's file, and with --verify everything that it names: modules that take part
/// unchanged with their #includes, contents of buffers.
Status addScenario(const OptOptions& options, std::vector<FileProbe>& files) {
  files.push_back({options.scenario.path, digestOfFile(options.scenario.path)});
  Result<ScenarioShaders> shaders = ScenarioShaders::read(options.scenario, options.load);
  if (!shaders) return shaders.error();
  const Scenario& scenario = shaders->scenario();
  if (!options.verify) return ok();
  for (const ScenarioShader& shader : scenario.shaders) {
    files.push_back({shader.path, digestOfFile(shader.path)});
    // An error is told when the shader is needed, by whom needs it.
    if (const Result<LoadedModule> module = shaders->load(shader))
      files.insert(files.end(), module->probes.begin(), module->probes.end());
  }
  for (const ScenarioBuffer& buffer : scenario.buffers)
    if (const auto* file = std::get_if<FillFile>(&buffer.fill))
      files.push_back({file->path, digestOfFile(file->path)});
  return ok();
}

} // namespace

Result<RunKey> makeRunKey(const RunKeyRequest& request, std::vector<std::string> given) {
  const OptOptions& options = request.options;
  RunKey key;
  if (options.scenario.isGiven() && request.isNeeded)
    if (Status s = addScenario(options, key.files); !s) return s.error();
  if (!request.isNeeded) return key;
  key.program = buildIdentity();
  key.flags = std::move(given);
  // Whether remarks stand among what is printed or apart.
  key.flags.push_back(options.remarksFile.empty() ? "remarks inline" : "remarks in a file");
  key.flags.push_back(fmt::format("remarks {}", int(options.remarks)));
  if (options.pipelines.isGiven())
    key.files.push_back({options.pipelines.path, digestOfFile(options.pipelines.path)});
  for (const std::string& file : options.tuning.files())
    key.files.push_back({file, digestOfFile(file)});
  if (options.targetName.ends_with(".toml"))
    key.files.push_back({options.targetName, digestOfFile(options.targetName)});
  return key;
}

Result<std::string> deviceIdentity(const OptOptions& options) {
  const std::string& wanted = options.verification.device;
  const bool isForTarget = options.targetName == "device";
  if (!options.verify && !isForTarget) return std::string();
  // Lanewise's own: its version is the program's.
  if (wanted == "interpreter" && !isForTarget) return wanted;
  Result<std::vector<DeviceInfo>> devices = listDevices();
  if (!devices) return devices.error();
  Result<uint32_t> chosen = chooseDevice(*devices, wanted);
  if (!chosen) return chosen.error();
  const DeviceInfo& d = (*devices)[*chosen];
  return fmt::format("{}\n{}\n{}\n{}\n{} {} {} {} {}", d.name, d.type, d.driver, d.apiVersion,
                     d.subgroupSize, d.sharedMemoryBytes, d.storageBufferBytes, d.hasTimestamps,
                     d.isInterpreter);
}

} // namespace lanewise::driver
