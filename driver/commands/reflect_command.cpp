// `lanewise reflect`: what a module asks of the program that uses it, and the scenario that fits
// it.
#include "commands/commands.h"
#include "input/front_end.h"
#include "options/option_groups.h"
#include "reflect/reflection_report.h"
#include "reflect/scenario_skeleton.h"
#include "support/failure.h"
#include "support/files.h"
#include "support/print.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace lanewise::driver {
namespace {

namespace fs = std::filesystem;

struct ReflectArguments {
  std::vector<std::string> inputs;
  std::string output = "-";
  ReflectFormat format = ReflectFormat::Text;
  bool isScenario = false; ///< --scenario
  LoadOptions load;
  GivenConstants constants;
  Assumptions assumptions;
};

std::string nameOf(const std::string& input) {
  return input == "-" ? "<stdin>" : input;
}

int write(const std::string& path, std::string text) {
  OutputFiles file;
  file.add(path, std::move(text));
  if (Status s = file.commit(); !s) return fail(s.error().message);
  return kDone;
}

/// The entry points of one input, added to the report, or why it has none.
Status reflectOne(const std::string& input, const ReflectArguments& o, ReflectReport& report,
                  ConstantUse& use) {
  Result<LoadedModule> loaded = loadModule(input, o.load);
  if (!loaded) return loaded.error();
  for (const std::string& warning : loaded->warnings) printError("{}\n", warning);
  // Of HLSL, --entry has named the function to compile, whatever that is called in the module.
  const std::string entry = loaded->kind == InputKind::Hlsl ? std::string() : o.load.entry;
  Result<Assumptions> given = use.assumptionsFor(*loaded->read, o.assumptions);
  if (!given) return failure(fmt::format("{}: {}", nameOf(input), given.error().message));
  Result<ModuleInterface> interface = describeModule(loaded->words(), *given, entry);
  if (!interface) return failure(fmt::format("{}: {}", nameOf(input), interface.error().str()));
  report.inputs.push_back({nameOf(input), std::move(*interface)});
  return ok();
}

int reflectAll(const ReflectArguments& o) {
  ReflectReport report;
  ConstantUse use(o.constants);
  int exitCode = kDone;
  for (const std::string& input : o.inputs) {
    const Status done = reflectOne(input, o, report, use);
    if (done) continue;
    report.failed.push_back({nameOf(input), done.error().message});
    exitCode = fail(done.error().message);
  }
  warnOf(use.unused());
  if (report.inputs.empty() && o.format == ReflectFormat::Text) return exitCode;
  const int written = write(o.output, o.format == ReflectFormat::Json ? reflectionAsJson(report)
                                                                      : reflectionAsText(report));
  return std::max(exitCode, written);
}

/// The shader's file as a scenario in the place of the output names it. What goes to standard
/// output is taken for a file of the current folder.
std::string fileInScenario(const ReflectArguments& o) {
  if (o.output == "-") return o.inputs[0];
  std::error_code failed;
  const fs::path folder = fs::absolute(fs::path(o.output), failed).parent_path();
  const fs::path relative = fs::proximate(fs::absolute(o.inputs[0], failed), folder, failed);
  return failed || relative.empty() ? o.inputs[0] : relative.string();
}

int writeSkeleton(const ReflectArguments& o) {
  Result<LoadedModule> loaded = loadModule(o.inputs[0], o.load);
  if (!loaded) return fail(loaded.error().message);
  for (const std::string& warning : loaded->warnings) printError("{}\n", warning);
  ConstantUse use(o.constants);
  Result<Assumptions> given = use.assumptionsFor(*loaded->read, o.assumptions);
  warnOf(use.unused());
  if (!given) return fail(fmt::format("{}: {}", o.inputs[0], given.error().message));
  const SkeletonRequest request{o.inputs[0], fileInScenario(o), o.load, std::move(*given)};
  Result<std::string> text = scenarioSkeleton(*loaded, request);
  if (!text) return fail(fmt::format("{}: {}", o.inputs[0], text.error().str()));
  return write(o.output, std::move(*text));
}

Status checkSkeleton(const CommandLine& line, const ReflectArguments& o) {
  if (!o.isScenario) return ok();
  if (o.inputs.size() != 1)
    return failure("--scenario takes one INPUT: a scenario of several shaders needs the order of "
                   "their dispatches");
  if (o.inputs[0] == "-")
    return failure("--scenario needs a file: a scenario names its shader's file");
  if (line.isGiven("--format")) return failure("--format has no effect on --scenario");
  return ok();
}

class ReflectCommand : public Command {
public:
  void declare(CommandLine& line) override {
    line.about(
        "Says what a module asks of the program that uses it: entry points, workgroup size, "
        "specialization constants, bindings with their layout, push constants, inputs and outputs, "
        "built-ins, capabilities, shared memory. Modules and shaders of any stage.\nExit codes: 0 "
        "done; 1 bad usage or input.");
    line.example("Describe a shader.", "lanewise reflect tile.comp");
    line.example("Write a scenario to fill in.",
                 "lanewise reflect --scenario tile.comp -o tile.toml");
    line.example("Describe all stages of a pipeline for a program.",
                 "lanewise reflect --format=json mesh.vert mesh.frag -o mesh.json");
    line.positionals("INPUT", "SHADER", o_.inputs, ".spv, .spvasm, GLSL of any stage, .hlsl, or -");
    line.group("Input");
    addSourceOptions(line, o_.load, "this entry point only (of HLSL: the function to compile)");
    addEnvironmentOption(line, o_.load);
    addAssumptionOptions(line, o_.assumptions, o_.constants);
    line.group("Output");
    line.value("--format", "text|json", choice("--format", o_.format, {"text", "json"}),
               "form of the description");
    line.value("-o,--output", "FILE", o_.output, "file to write (default: standard output)")
        .place();
    line.flag("--scenario", o_.isScenario,
              "instead, write a scenario for a compute shader, to be filled in");
    line.check([this, &line]() -> Status {
      if (Status s = checkInputs(o_.inputs, "no input; give a file, or - for standard input"); !s)
        return s;
      if (Status s = checkSkeleton(line, o_); !s) return s;
      return checkDestination(o_.output, o_.inputs);
    });
  }

  int run(const CommandLine&) override {
    return o_.isScenario ? writeSkeleton(o_) : reflectAll(o_);
  }

private:
  ReflectArguments o_;
};

} // namespace

std::unique_ptr<Command> makeReflectCommand() {
  return std::make_unique<ReflectCommand>();
}

} // namespace lanewise::driver
