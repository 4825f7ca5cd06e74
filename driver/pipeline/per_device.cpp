#include "pipeline/per_device.h"

#include "pipeline/output_names.h"
#include "recorded/toml_text.h"
#include "recorded/tuning_file.h"

#include <fmt/format.h>

namespace lanewise::driver {

Result<std::vector<DeviceOutput>> outputsPerDevice(const std::string& input,
                                                   const OptOptions& options) {
  Result<LoadedModule> module = loadModule(input, options.load);
  if (!module) return module.error();
  const Words words = module->isSource() ? stripLines(module->words()) : module->words();
  std::vector<DeviceOutput> all;
  const auto add = [&](const std::string& device, const OptOptions& own) {
    const std::string part = device.empty() ? "" : fileNameOfDevice(device);
    all.push_back({input, outputName(input, part, options.asText), device, own});
  };
  add("", options);
  for (const std::string& device : devicesFor(options.tuning, words)) {
    OptOptions own = options;
    own.tuning.device = device;
    add(device, own);
  }
  return all;
}

std::string outputsAsToml(const std::vector<DeviceOutput>& outputs) {
  std::string text = "# Which module is for which device, by lanewise opt --per-device; without "
                     "`device`: for all others.\n";
  for (const DeviceOutput& one : outputs) {
    text += fmt::format("\n[[output]]\nfile = {}\ninput = {}\n", tomlText(one.name),
                        tomlText(one.input));
    if (!one.device.empty()) text += fmt::format("device = {}\n", tomlText(one.device));
  }
  return text;
}

} // namespace lanewise::driver
