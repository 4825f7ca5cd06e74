// `lanewise`: finds the subcommand and calls it.
#include "commands/commands.h"
#include "options/batch_options.h"
#include "options/opt_options.h"
#include "options/transpile_options.h"
#include "report/version.h"
#include "support/print.h"
#include "support/suggest.h"

#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace lanewise::driver;

std::vector<CommandDescription> describeAll();

struct Command {
  std::string_view name;
  int (*run)(std::span<char*> args);
  /// Man pages, completion and the tests of both come from this.
  std::vector<CommandDescription> (*describe)();
  std::string_view summary;
};

constexpr Command kCommands[] = {
    {"opt", optCommand, describeOpt, "optimize a module or a shader"},
    {"batch", batchCommand, describeBatch,
     "optimize all shaders of a folder or a list on all cores"},
    {"verify", verifyCommand, describeVerify,
     "dispatch two modules on the same inputs and compare what they write"},
    {"transpile", transpileCommand, describeTranspile,
     "write a module as GLSL, ESSL, HLSL or MSL, and check the text against it"},
    {"profile", profileCommand, describeProfile,
     "run a scenario and count bank conflicts, sectors and divergence, line by line"},
    {"lint", lintCommand, describeLint, "find mistakes and slow code in compute shaders"},
    {"layout", layoutCommand, describeLayout,
     "convert data to the layout that --aos-to-soa chose, and back"},
    {"embed", embedCommand, describeEmbed, "write a module or a shader's text as a C++ header"},
    {"devices", devicesCommand, describeDevices, "list the Vulkan devices that can verify"},
    {"passes", passesCommand, describePassesCommand, "list the passes and what -O stands for"},
    {"man", [](std::span<char*> args) { return manCommand(args, describeAll()); }, describeMan,
     "print the man page of a command"},
    {"completion", completionCommand, describeCompletion,
     "print the completion script for bash, fish or zsh"},
};

std::vector<CommandDescription> describeAll() {
  std::vector<CommandDescription> all;
  for (const Command& c : kCommands)
    for (CommandDescription& description : c.describe()) {
      description.summary = c.summary;
      all.push_back(std::move(description));
    }
  return all;
}

std::string usage() {
  std::string text = "Usage: lanewise COMMAND [ARGUMENTS]\n"
                     "       lanewise COMMAND --help\n"
                     "       lanewise --version\n\nCommands:\n";
  for (const Command& c : kCommands) text += fmt::format("  {:<11} {}\n", c.name, c.summary);
  return text + fmt::format("\nExit codes: {}.\n", kExitCodes);
}

int unknownCommand(std::string_view name) {
  std::vector<std::string> known{"--help", "--version"};
  for (const Command& c : kCommands) known.emplace_back(c.name);
  std::string near = nearest(name, known);
  printError("lanewise: unknown command '{}'; {}\n", name,
             near.empty() ? "see 'lanewise --help'" : fmt::format("did you mean '{}'?", near));
  return kBadUsageOrInput;
}

int run(int argc, char** argv) {
  if (argc < 2) {
    printError("lanewise: no command; see 'lanewise --help'\n");
    return kBadUsageOrInput;
  }
  std::string_view name = argv[1];
  if (name == "--help" || name == "-h" || name == "help") {
    printOut("{}", usage());
    return kDone;
  }
  if (name == "--version") {
    printOut("{}", versionText());
    return kDone;
  }
  const std::span<char*> args{argv + 2, size_t(argc - 2)};
  for (const Command& c : kCommands)
    if (c.name == name) return c.run(args);
  if (name == "complete") return completeCommand(args, describeAll()); // for shells
  return unknownCommand(name);
}

} // namespace

int main(int argc, char** argv) {
  openStandardStreams();
  return finishOutput(run(argc, argv));
}
