// `lanewise devices`: what `--device` can name.
#include "commands/commands.h"
#include "support/print.h"
#include "verify/device/device_host.h"
#include "verify/interpreter/interpreter_runner.h"
#include "verify/program/runner.h"

#include <algorithm>
#include <fmt/format.h>

namespace lanewise::driver {

namespace {

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

} // namespace

std::unique_ptr<Command> makeDevicesCommand() {
  return std::make_unique<DevicesCommand>();
}

} // namespace lanewise::driver
