#include "commands/commands.h"

#include "options/option_groups.h"
#include "support/print.h"
#include "targets/device_target.h"
#include "targets/target_profiles.h"

namespace lanewise::driver {

namespace {

/// For the commands that know nothing of the others.
template <std::unique_ptr<Command> (*make)()>
std::unique_ptr<Command> alone(const DescribeAll&) {
  return make();
}

constexpr CommandEntry kCommands[] = {
    {"opt", "optimize a module or a shader", alone<makeOptCommand>},
    {"batch", "optimize all shaders of a folder or a list on all cores", alone<makeBatchCommand>},
    {"verify", "dispatch two modules on the same inputs and compare what they write",
     alone<makeVerifyCommand>},
    {"transpile", "write a module as GLSL, ESSL, HLSL or MSL, and check the text against it",
     alone<makeTranspileCommand>},
    {"profile", "run a scenario and count bank conflicts, sectors and divergence, line by line",
     alone<makeProfileCommand>},
    {"lint", "find mistakes and slow code in compute shaders", alone<makeLintCommand>},
    {"reflect", "print entry points, bindings, layouts and constants of modules of any stage",
     alone<makeReflectCommand>},
    {"stats", "print what drivers' compilers make of modules: registers, occupancy, latency",
     alone<makeStatsCommand>},
    {"tune", "find the passes, constants and sizes that are fastest on a device",
     alone<makeTuneCommand>},
    {"run", "run a program that uses Vulkan, and time or optimize the compute shaders in it",
     alone<makeRunCommand>},
    {"compare", "run a program with and without optimized shaders, and compare the times",
     alone<makeCompareCommand>},
    {"pipelines",
     "write what Fossilize databases have of compute pipelines as a file for --pipelines",
     alone<makePipelinesCommand>},
    {"layout pack", "convert a buffer's data to the layout that --aos-to-soa chose",
     [](const DescribeAll&) { return makeLayoutCommand("pack"); }},
    {"layout unpack", "convert it back to the host's layout",
     [](const DescribeAll&) { return makeLayoutCommand("unpack"); }},
    {"layout header", "write a C++ header that does both",
     [](const DescribeAll&) { return makeLayoutCommand("header"); }},
    {"embed", "write a module or a shader's text as a C++ header", alone<makeEmbedCommand>},
    {"devices", "list the Vulkan devices that can verify", alone<makeDevicesCommand>},
    {"passes", "list the passes and what -O stands for", alone<makePassesCommand>},
    {"man", "print the man page of a command",
     [](const DescribeAll& all) { return makeManCommand(all); }},
    {"completion", "print the completion script for bash, fish or zsh",
     alone<makeCompletionCommand>},
};

} // namespace

std::span<const CommandEntry> allCommands() {
  return kCommands;
}

void declare(Command& command, CommandLine& line) {
  command.declare(line);
  line.group("Messages");
  addColorOption(line);
}

std::vector<CommandDescription> describeCommands() {
  std::vector<CommandDescription> all;
  for (const CommandEntry& entry : kCommands) {
    const std::unique_ptr<Command> command = entry.make(describeCommands);
    CommandLine line{std::string(entry.name)};
    declare(*command, line);
    all.push_back(line.describe());
    all.back().summary = entry.summary;
  }
  return all;
}

int openTarget(const std::string& name, const std::string& device, TargetProfile& target) {
  const bool isDevice = name == "device";
  Result<TargetProfile> read = isDevice ? loadDeviceTarget(device) : loadTarget(name);
  if (!read) return fail(read.error().message, isDevice ? kNoDevice : kBadUsageOrInput);
  target = std::move(*read);
  return kDone;
}

} // namespace lanewise::driver
