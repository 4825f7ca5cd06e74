// The commands that list what others can name: `lanewise devices`, and `lanewise passes` with what
// -O stands for.
#include "commands/commands.h"
#include "pass.h"
#include "pipeline/pipeline.h"
#include "support/print.h"
#include "verify/device/device_host.h"
#include "verify/interpreter/interpreter_runner.h"
#include "verify/program/runner.h"

#include <algorithm>
#include <fmt/format.h>

namespace lanewise::driver {

namespace {

// ---- devices ----

int listAll() {
  Result<std::vector<DeviceInfo>> devices = listDevices();
  // The interpreter is always there.
  if (!devices) printError("lanewise: error: {}\n", devices.error().message);
  std::vector<DeviceInfo> all = devices ? *devices : std::vector<DeviceInfo>();
  all.push_back(interpreterInfo());
  size_t nameWidth = 4, driverWidth = 6;
  for (const DeviceInfo& device : all) {
    nameWidth = std::max(nameWidth, device.name.size());
    driverWidth = std::max(driverWidth, device.driver.size());
  }
  printOut("{:<5}  {:<{}}  {:<14}  {:<{}}  {:<9}  {:>8}  {:>13}  {}\n", "index", "name", nameWidth,
           "type", "driver", driverWidth, "Vulkan", "subgroup", "shared memory", "timestamps");
  for (const DeviceInfo& d : all)
    printOut("{:<5}  {:<{}}  {:<14}  {:<{}}  {:<9}  {:>8}  {:>7} bytes  {}\n",
             d.isInterpreter ? "-" : std::to_string(d.index), d.name, nameWidth, d.type, d.driver,
             driverWidth, d.apiVersion, d.subgroupSize, d.sharedMemoryBytes,
             d.hasTimestamps ? "yes" : "no");
  return devices ? kDone : kNoDevice;
}

class DevicesCommand : public Command {
public:
  void declare(CommandLine& line) override {
    line.about("Lists the Vulkan devices, by the number that --device takes, and the interpreter "
               "(--device=interpreter).");
  }
  int run(const CommandLine&) override { return listAll(); }
};

// ---- passes ----

/// Behind a step of -O.
std::string noteOn(const PipelineStep& step) {
  const std::vector<const PassInfo*>& behind = step.onlyAfter;
  if (behind.empty()) return step.pass->isCanonical ? "    (canonical)" : "";
  if (std::ranges::none_of(behind, &PassInfo::isCanonical))
    return "    (canonical; where one of Lanewise's rewrote something)";
  return fmt::format("    (canonical; where --{} changed something)", behind.front()->flag);
}

void printPasses() {
  printOut("Passes of Lanewise:\n");
  bool isCanonical = false;
  for (const PassInfo& pass : allPasses()) {
    if (pass.isCanonical && !isCanonical)
      printOut("\nCanonical passes, which keep the meaning bit for bit:\n");
    isCanonical = pass.isCanonical;
    printOut("  --{}{}\n      {}\n", pass.flag,
             pass.values.empty() ? "" : fmt::format("[={}]", pass.values), pass.summary);
    if (pass.isCanonical) continue;
    printOut("      {}{} -O\n",
             pass.values.empty() ? "" : fmt::format("default: {}; ", pass.defaultValue()),
             pass.inO ? "part of" : "not part of");
  }
  printOut(
      "\n-O is exactly these flags, with unused bindings and specialization constants kept:\n");
  for (const PipelineStep& step : standardPipeline()) printOut("  {}{}\n", step.flag, noteOn(step));
  printOut("\n-O=spirv-opt is these, spirv-opt's own -O around the passes of Lanewise:\n");
  for (const PipelineStep& step : standardPipeline(Canonical::SpirvOpt))
    printOut("  {}{}\n", step.flag, step.pass ? "    (Lanewise)" : "");
  printOut("\n-Os is the canonical ones alone, with calls kept where that is shorter:\n");
  for (const PipelineStep& step : sizePipeline()) printOut("  {}    (canonical)\n", step.flag);
  printOut(
      "\n-Os=spirv-opt is -Os of the installed spirv-opt. Every other flag of a spirv-opt pass is "
      "taken as well, in\n"
      "any order with these.\n");
}

class PassesCommand : public Command {
public:
  void declare(CommandLine& line) override {
    line.about("Lists the passes of Lanewise with their values, and what -O stands for.");
  }
  int run(const CommandLine&) override {
    printPasses();
    return kDone;
  }
};

} // namespace

std::unique_ptr<Command> makeDevicesCommand() {
  return std::make_unique<DevicesCommand>();
}

std::unique_ptr<Command> makePassesCommand() {
  return std::make_unique<PassesCommand>();
}

} // namespace lanewise::driver
