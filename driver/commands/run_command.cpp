// `lanewise run`: another program under the Vulkan layer (docs/run.md).
#include "commands/commands.h"
#include "options/option_groups.h"
#include "run/program.h"
#include "run/run_report.h"
#include "support/failure.h"
#include "support/files.h"
#include "support/print.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lanewise::driver {
namespace {

namespace fs = std::filesystem;

enum class RunFormat { Text, Json };

struct Options {
  std::vector<std::string> command;
  bool times = false;
  RunFormat format = RunFormat::Text;
  std::string output, json;
};

/// A folder that is gone when the command ends.
class ScratchFolder {
public:
  static Result<ScratchFolder> create() {
    std::error_code failed;
    std::string path = (fs::temp_directory_path(failed) / "lanewise-run-XXXXXX").string();
    if (failed || !::mkdtemp(path.data()))
      return failure(fmt::format("{}: cannot make a folder: {}; set TMPDIR to one that can be "
                                 "written to",
                                 path, std::strerror(errno)));
    return ScratchFolder(std::move(path));
  }
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

/// Why there is nothing to report; "" where there is something.
std::string nothingSeen(const Options& o, const RunData& data) {
  if (data.processes == 0)
    return fmt::format("{}: made no Vulkan instance through the system's loader, or runs with "
                       "elevated privilege, for which the layer does nothing",
                       o.command[0]);
  if (data.pipelines.empty()) return fmt::format("{}: created no compute pipeline", o.command[0]);
  return {};
}

void sayHowItEnded(const Options& o, const ProgramEnd& end) {
  if (end.signal == 0) return;
  printError("lanewise: note: {}: ended by signal {} ({}); what was seen until then follows\n",
             o.command[0], end.signal, ::strsignal(end.signal));
}

Status writeReports(const Options& o, const RunData& data) {
  const std::string text = runAsText(data), json = runAsJson(data).dump(2) + "\n";
  const std::string& wanted = o.format == RunFormat::Json ? json : text;
  OutputFiles files;
  if (!o.json.empty()) files.add(o.json, json);
  if (!o.output.empty()) files.add(o.output, wanted);
  if (Status s = files.commit(); !s) return s;
  // Standard output is the program's.
  if (o.output.empty()) printPlain(stderr, wanted);
  return ok();
}

int run(const Options& o) {
  Result<ScratchFolder> scratch = ScratchFolder::create();
  if (!scratch) return fail(scratch.error().message);
  const Result<ProgramEnd> end = runProgram({o.command, scratch->path(), o.times});
  if (!end) return fail(end.error().message);
  sayHowItEnded(o, *end);
  Result<RunData> data = readRunData(scratch->path());
  if (!data) return fail(data.error().message);
  if (const std::string why = nothingSeen(o, *data); !why.empty())
    printError("lanewise: note: {}\n", why);
  else if (o.format == RunFormat::Text && o.output.empty())
    printPlain(stderr, "\n");
  if (Status s = writeReports(o, *data); !s) return fail(s.error().message);
  return end->passedOn();
}

class RunCommand : public Command {
public:
  void declare(CommandLine& line) override {
    line.about(
        "Runs a program that uses Vulkan, and sees its compute pipelines through a Vulkan layer: "
        "what it dispatches, how often, in which sizes and, by GPU timestamps, for how long. The "
        "table goes to standard error, since standard output is PROGRAM's.\nExit codes: "
        "PROGRAM's own, or 128 and the number of the signal that ended it; 1 bad usage, or PROGRAM "
        "cannot be started.");
    line.example("Time what a program dispatches.",
                 "lanewise run --time -- ./simulation --steps 10");
    line.example("The same for another program to read.",
                 "lanewise run --time --json=times.json -- ./simulation --steps 10");
    line.rest("PROGRAM", "FILE", o_.command, "the program to run, and its arguments").required();
    line.group("What to do with it");
    line.flag("--time", o_.times, "write GPU timestamps round every dispatch");
    line.group("Output");
    line.value("--format", "text|json", choice("--format", o_.format, {"text", "json"}),
               "form of the report");
    line.value("-o,--output", "FILE", o_.output, "file to write it to (default: standard error)")
        .output();
    line.value("--json", "FILE.json", o_.json, "write the report as JSON as well").output();
    line.check([this]() -> Status {
      if (!o_.times) return failure("nothing to do: give --time");
      if (Status s = checkDestination(o_.output, {}); !s) return s;
      return checkDestination(o_.json, std::vector{o_.output});
    });
  }

  int run(const CommandLine&) override { return driver::run(o_); }

private:
  Options o_;
};

} // namespace

std::unique_ptr<Command> makeRunCommand() {
  return std::make_unique<RunCommand>();
}

} // namespace lanewise::driver
