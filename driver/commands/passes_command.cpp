// `lanewise passes`: what the registry holds, and what -O stands for.
#include "commands/commands.h"
#include "pass.h"
#include "pipeline/pipeline.h"
#include "support/print.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <string_view>

namespace lanewise::driver {

namespace {

constexpr const char* kName = "lanewise passes";
constexpr const char* kAbout =
    "Lists the passes of Lanewise with their values, and what -O stands for.";

void printPasses() {
  printOut("Passes of Lanewise:\n");
  for (const PassInfo& pass : allPasses()) {
    printOut("  --{}{}\n      {}\n", pass.flag,
             pass.values.empty() ? "" : fmt::format("[={}]", pass.values), pass.summary);
    if (!pass.values.empty())
      printOut("      default: {}; {} -O\n", pass.defaultValue(),
               pass.inO ? "part of" : "not part of");
  }
  printOut(
      "\n-O is exactly these flags, with unused bindings and specialization constants kept:\n");
  for (const PipelineStep& step : standardPipeline())
    printOut("  {}{}\n", step.flag, step.pass ? "    (Lanewise)" : "");
  printOut("\n-Os is that of the installed spirv-opt. Every other flag of a spirv-opt pass is "
           "taken as well, in\n"
           "any order with these.\n");
}

} // namespace

std::vector<CommandDescription> describePassesCommand() {
  return {describe(CLI::App(kAbout, kName))};
}

int passesCommand(std::span<char*> args) {
  for (std::string_view arg : args) {
    if (arg == "--help" || arg == "-h") {
      printOut("{}", CLI::App(kAbout, kName).help());
      return kDone;
    }
    printError("lanewise passes: unexpected argument '{}'; it takes none\n", arg);
    return kBadUsageOrInput;
  }
  printPasses();
  return kDone;
}

} // namespace lanewise::driver
