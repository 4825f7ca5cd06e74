// `lanewise`: finds the subcommand and calls it.
#include "commands.h"
#include "print.h"
#include "suggest.h"
#include "version.h"

#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace lanewise::driver;

struct Command {
  std::string_view name;
  int (*run)(std::span<char*> args);
  std::string_view summary;
};

constexpr Command kCommands[] = {
    {"opt", optCommand, "optimize a module or a shader"},
    {"batch", batchCommand, "optimize all shaders of a folder or a list on all cores"},
    {"verify", verifyCommand,
     "dispatch two modules on the same inputs and compare what they write"},
    {"transpile", transpileCommand,
     "write a module as GLSL, ESSL, HLSL or MSL, and check the text against it"},
    {"profile", profileCommand,
     "run a scenario and count bank conflicts, sectors and divergence, line by line"},
    {"lint", lintCommand, "find mistakes and slow code in compute shaders"},
    {"layout", layoutCommand, "convert data to the layout that --aos-to-soa chose, and back"},
    {"embed", embedCommand, "write a module or a shader's text as a C++ header"},
    {"devices", devicesCommand, "list the Vulkan devices that can verify"},
    {"passes", passesCommand, "list the passes and what -O stands for"},
};

std::string usage() {
  std::string text = "Usage: lanewise COMMAND [ARGUMENTS]\n"
                     "       lanewise COMMAND --help\n"
                     "       lanewise --version\n\nCommands:\n";
  for (const Command& c : kCommands) text += fmt::format("  {:<10} {}\n", c.name, c.summary);
  text += "\nExit codes: 0 done; 1 bad usage or input; 2 verification or lint found "
          "something; 3 no usable device.\n";
  return text;
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
  for (const Command& c : kCommands)
    if (c.name == name) return c.run({argv + 2, size_t(argc - 2)});
  return unknownCommand(name);
}

} // namespace

int main(int argc, char** argv) {
  openStandardStreams();
  return finishOutput(run(argc, argv));
}
