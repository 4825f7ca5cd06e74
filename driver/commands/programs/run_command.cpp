// `lanewise run`: another program under the Vulkan layer (docs/run.md).
#include "commands/commands.h"
#include "commands/programs/opt_passes.h"
#include "options/option_groups.h"
#include "options/response_file.h"
#include "report/html/report_subjects.h"
#include "run/pipelines_file.h"
#include "run/run_report.h"
#include "run/under_layer.h"
#include "support/failure.h"
#include "support/files.h"
#include "support/print.h"

#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace lanewise::driver {
namespace {

enum class RunFormat { Text, Json };

struct RunArguments {
  LayerRequest layer;
  RunFormat format = RunFormat::Text;
  std::string output, json, html, record;
  std::string shown; ///< the command line
};

/// Why there is nothing to report; "" where there is something.
std::string nothingSeen(const RunArguments& o, const RunData& data) {
  if (!data.lost.empty()) return {}; // there may have been, and that is said
  if (data.processes == 0)
    return fmt::format("{}: made no Vulkan instance through the system's loader, or runs with "
                       "elevated privilege, for which the layer does nothing",
                       o.layer.command[0]);
  if (data.pipelines.empty())
    return fmt::format("{}: created no compute pipeline", o.layer.command[0]);
  return {};
}

void sayHowItEnded(const RunArguments& o, const ProgramEnd& end) {
  if (end.signal == 0) return;
  printError("lanewise: note: {}: ended by signal {} ({}); what was seen until then follows\n",
             o.layer.command[0], end.signal, ::strsignal(end.signal));
}

std::string textOf(const RunArguments& o, const RunData& data) {
  return (o.layer.times ? runAsText(data) : "") + (o.layer.optimizes ? optimizedAsText(data) : "");
}

/// The table while the program runs.
void sayHowItStands(const RunArguments& o, const RunData& data, double seconds) {
  printError("lanewise: note: {}: after {:.1f} s\n", o.layer.command[0], seconds);
  printPlain(stderr, textOf(o, data));
}

/// Writes one output, and says what is wrong with it. The others are written all the same: nobody
/// wants to run the program again for them.
bool write(OutputFiles&& files) {
  const Status s = files.commit();
  if (!s) fail(s.error().message);
  return bool(s);
}

bool writeFile(const std::string& path, std::string contents) {
  OutputFiles files;
  files.add(path, std::move(contents));
  return write(std::move(files));
}

std::string pageOf(const RunArguments& o, const RunData& data) {
  std::vector<ReportFact> facts{{"command", o.shown}};
  for (ReportFact& fact : versionFacts()) facts.push_back(std::move(fact));
  return runAsHtml(data, fmt::format("{}", fmt::join(o.layer.command, " ")), facts);
}

bool writeRecording(const RunArguments& o, const RunData& data, const std::string& scratch) {
  OutputFiles files;
  Result<std::vector<std::string>> troubles = addRecording(files, data, scratch, o.record);
  if (!troubles) {
    fail(troubles.error().message);
    return false;
  }
  for (const std::string& trouble : *troubles) printError("lanewise: warning: {}\n", trouble);
  return write(std::move(files));
}

/// `scratch` has what the layer left. Returns whether all that was asked for is written.
bool writeReports(const RunArguments& o, const RunData& data, const std::string& scratch) {
  const std::string json = runAsJson(data).dump(2) + "\n";
  bool isWritten = true;
  if (!o.json.empty()) isWritten &= writeFile(o.json, json);
  if (!o.html.empty()) isWritten &= writeFile(o.html, pageOf(o, data));
  if (!o.record.empty()) isWritten &= writeRecording(o, data, scratch);
  const std::string wanted = o.format == RunFormat::Json ? json : textOf(o, data);
  if (wanted.empty() || (!o.layer.times && !o.layer.optimizes)) return isWritten;
  if (!o.output.empty() && writeFile(o.output, wanted)) return isWritten;
  // Standard output is the program's.
  printPlain(stderr, o.format == RunFormat::Text ? "\n" + wanted : wanted);
  return isWritten && o.output.empty();
}

int run(const RunArguments& o) {
  ignoreClosedPipes();
  keepFile(o.layer.command[0]);
  Result<RunFolder> scratch = RunFolder::create();
  if (!scratch) return fail(scratch.error().message);
  LayerRequest request = o.layer;
  if (o.layer.times || o.layer.optimizes)
    request.whenAsked = [&o](const RunData& data, double seconds) {
      sayHowItStands(o, data, seconds);
    };
  const Result<LayerRun> run = runUnderLayer(request, scratch->path());
  if (!run) return fail(run.error().message);
  for (const std::string& trouble : run->troubles) printError("lanewise: warning: {}\n", trouble);
  sayHowItEnded(o, run->end);
  if (const std::string why = nothingSeen(o, run->data); !why.empty())
    printError("lanewise: note: {}\n", why);
  const bool isWritten = writeReports(o, run->data, scratch->path());
  const int code = run->end.passedOn();
  return isWritten || code != kDone ? code : kBadUsageOrInput;
}

class RunCommand : public Command {
public:
  void declare(CommandLine& line) override {
    line.about(
        "Runs a program that uses Vulkan, and sees its compute pipelines through a Vulkan layer: "
        "what it dispatches, how often, in which sizes and, by GPU timestamps, for how long. The "
        "table goes to standard error, since standard output is PROGRAM's.\nExit codes: "
        "PROGRAM's own, or 128 and the number of the signal that ended it; 1 bad usage, PROGRAM "
        "cannot be started, or ended with 0 and an output cannot be written.");
    line.example("Time what a program dispatches.",
                 "lanewise run --time -- ./simulation --steps 10");
    line.example("The same for another program to read.",
                 "lanewise run --time --json=times.json -- ./simulation --steps 10");
    line.example("Run it with optimized shaders, from the first time on.",
                 "lanewise run --optimize --wait -- ./simulation --steps 10");
    line.rest("PROGRAM", "FILE", o_.layer.command, "the program to run, and its arguments")
        .required();
    line.group("What to do with it");
    line.flag("--time", o_.layer.times, "write GPU timestamps round every dispatch");
    line.value(
            "--optimize", "PASSES",
            [this](const std::string& passes) {
              o_.layer.optimizes = true;
              o_.layer.passes = splitResponse(passes);
              return ok();
            },
            "make compute pipelines of modules that 'lanewise opt PASSES' has optimized "
            "(default: -O), with the constants of the pipeline; modules that are not in the cache "
            "are optimized beside it, and used from then on")
        .alone("-O");
    line.flag("--wait", o_.layer.waits,
              "with --optimize: a pipeline is created when its module is optimized");
    addTuningOptions(line, o_.layer.tuning);
    line.each(
        "--leave-out", "HASH,...", leftOutModules(o_.layer.leftOut),
        "with --optimize: modules that stay as they are, by the first digits of their hashes");
    line.value("--cache", "FOLDER", o_.layer.cache,
               "where optimized modules are kept (default: lanewise/pipelines in the user's "
               "cache)");
    line.group("Output");
    line.value("--format", "text|json", choice("--format", o_.format, {"text", "json"}),
               "form of the report");
    line.value("-o,--output", "FILE", o_.output, "file to write it to (default: standard error)")
        .output();
    line.value("--json", "FILE.json", o_.json, "write the report as JSON as well").output();
    line.value("--html", "FILE.html", o_.html,
               "with --time: one page of what was dispatched, and for how long")
        .output();
    line.value("--record", "FILE.toml", o_.record,
               "write each compute pipeline's module, constants, subgroup size and dispatch sizes; "
               "modules go to a folder beside it")
        .output();
    line.check([this]() -> Status {
      if (!o_.layer.times && !o_.layer.optimizes && o_.record.empty())
        return failure("nothing to do: give --time, --optimize or --record=FILE.toml");
      if (o_.layer.waits && !o_.layer.optimizes) return failure("--wait needs --optimize");
      if (!o_.layer.cache.empty() && !o_.layer.optimizes)
        return failure("--cache needs --optimize");
      if (o_.layer.tuning.isGiven() && !o_.layer.optimizes)
        return failure("--tuning needs --optimize");
      if (!o_.layer.leftOut.empty() && !o_.layer.optimizes)
        return failure("--leave-out needs --optimize");
      if (o_.layer.optimizes)
        if (Status s = checkOptPasses("--optimize", o_.layer.passes); !s) return s;
      o_.layer.passFiles = digestOfPassFiles(o_.layer.passes);
      if (Status s = checkDestination(o_.output, {}); !s) return s;
      if (!o_.html.empty() && !o_.layer.times) return failure("--html needs --time");
      if (o_.html == "-") return failure("--html needs a file");
      if (Status s = checkDestination(o_.json, {o_.output}); !s) return s;
      if (Status s = checkDestination(o_.html, {o_.output, o_.json}); !s) return s;
      return checkDestination(o_.record, {o_.output, o_.json, o_.html});
    });
  }

  int run(const CommandLine& line) override {
    o_.shown = line.shown();
    return driver::run(o_);
  }

private:
  RunArguments o_;
};

} // namespace

std::unique_ptr<Command> makeRunCommand() {
  return std::make_unique<RunCommand>();
}

} // namespace lanewise::driver
