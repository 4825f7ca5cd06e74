// `lanewise run`: another program under the Vulkan layer (docs/run.md).
#include "batch/cache/build_identity.h"
#include "batch/cache/store.h"
#include "commands/commands.h"
#include "options/option_groups.h"
#include "options/response_file.h"
#include "run/optimize_service.h"
#include "run/pipelines_file.h"
#include "run/program.h"
#include "run/run_report.h"
#include "support/failure.h"
#include "support/files.h"
#include "support/print.h"
#include "support/sha256.h"
#include "support/terminal.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace lanewise::driver {
namespace {

namespace fs = std::filesystem;

/// What the cache keeps.
constexpr uint64_t kCacheBytes = uint64_t(1) << 30;

enum class RunFormat { Text, Json };

struct Options {
  std::vector<std::string> command;
  bool times = false;
  bool optimizes = false, waits = false;
  std::vector<std::string> passes; ///< what `opt` is given
  std::string cache;               ///< folder; "": the user's
  RunFormat format = RunFormat::Text;
  std::string output, json, record;
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

/// `scratch` has what the layer left.
Status writeReports(const Options& o, const RunData& data, const std::string& scratch) {
  const std::string text =
      (o.times ? runAsText(data) : "") + (o.optimizes ? optimizedAsText(data) : "");
  const std::string json = runAsJson(data).dump(2) + "\n";
  const std::string wanted = !o.times && !o.optimizes      ? ""
                             : o.format == RunFormat::Json ? json
                                                           : text;
  OutputFiles files;
  if (!o.json.empty()) files.add(o.json, json);
  if (!o.record.empty())
    if (Status s = addPipelinesFile(files, data, scratch, o.record); !s) return s;
  if (!o.output.empty()) files.add(o.output, wanted);
  if (Status s = files.commit(); !s) return s;
  // Standard output is the program's.
  if (o.output.empty() && !wanted.empty())
    printPlain(stderr, o.format == RunFormat::Text ? "\n" + wanted : wanted);
  return ok();
}

/// Where optimized modules are kept when nobody says; "" where there is no such place.
std::string usersCache() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache && *cache == '/') return fmt::format("{}/lanewise/pipelines", cache);
  const char* home = std::getenv("HOME");
  return home && *home == '/' ? fmt::format("{}/.cache/lanewise/pipelines", home) : std::string();
}

/// An existing folder, as the program finds it wherever it goes: the one that is asked for, or the
/// user's, or where neither can be written to one that lasts for this run.
Result<std::string> openCache(const Options& o, const std::string& scratch) {
  const std::string wanted = o.cache.empty() ? usersCache() : o.cache;
  std::error_code failed;
  if (!o.cache.empty() && fs::exists(wanted, failed) && !fs::is_directory(wanted, failed))
    return failure(fmt::format("--cache={}: not a folder", o.cache));
  const std::string path = fs::absolute(wanted, failed).string();
  fs::create_directories(path, failed);
  if (!wanted.empty() && ::access(path.c_str(), W_OK | X_OK) == 0) return path;
  if (!o.cache.empty())
    return failure(fmt::format("--cache={}: {}", o.cache, std::strerror(errno)));
  const std::string own = scratch + "/cache";
  fs::create_directories(own, failed);
  return own;
}

/// Sets what of the request is about optimizing.
Result<std::unique_ptr<OptimizeService>> startService(const Options& o, ProgramRequest& request) {
  Result<std::string> cache = openCache(o, request.data);
  if (!cache) return cache.error();
  Result<std::unique_ptr<OptimizeService>> service =
      OptimizeService::start({o.passes, request.data, *cache});
  if (!service) return service.error();
  request.optimizer = (*service)->socket();
  request.waits = o.waits;
  request.cache = *cache;
  request.identity =
      hexOf(sha256(fmt::format("1\n{}\n{}", buildIdentity(), fmt::join(o.passes, "\n"))));
  return service;
}

void finishService(OptimizeService& service, const std::string& cache) {
  if (const uint64_t left = service.underWay(); left > 0 && isTerminal(stderr))
    printError("lanewise: note: optimizing {} more {} for the next run\n", left,
               left == 1 ? "module" : "modules");
  service.stop();
  for (const std::string& trouble : service.troubles())
    printError("lanewise: warning: {}\n", trouble);
  pruneFolderStore(cache, kCacheBytes);
}

/// Whether `opt` takes these: what is wrong with them is said before the program starts.
Status checkPasses(const Options& o) {
  if (!o.optimizes) return ok();
  const std::unique_ptr<Command> opt = makeOptCommand();
  CommandLine line{"opt"};
  driver::declare(*opt, line);
  std::vector<std::string> words = o.passes;
  words.insert(words.end(), {"module.spv", "-o", "-"});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  if (Result<bool> parsed = line.parse(arguments); !parsed)
    return failure("--optimize: " + parsed.error().message);
  if (line.inputs().size() != 1 || line.given("-o").size() != 1)
    return failure("--optimize: it takes passes and options of 'lanewise opt', no input or output");
  return ok();
}

int run(const Options& o) {
  Result<ScratchFolder> scratch = ScratchFolder::create();
  if (!scratch) return fail(scratch.error().message);
  ProgramRequest request;
  request.command = o.command;
  request.data = scratch->path();
  request.times = o.times;
  std::unique_ptr<OptimizeService> service;
  if (o.optimizes) {
    Result<std::unique_ptr<OptimizeService>> started = startService(o, request);
    if (!started) return fail(started.error().message);
    service = std::move(*started);
  }
  const Result<ProgramEnd> end = runProgram(request);
  if (!end) return fail(end.error().message);
  if (service) finishService(*service, request.cache);
  sayHowItEnded(o, *end);
  Result<RunData> data = readRunData(scratch->path());
  if (!data) return fail(data.error().message);
  if (const std::string why = nothingSeen(o, *data); !why.empty())
    printError("lanewise: note: {}\n", why);
  if (Status s = writeReports(o, *data, scratch->path()); !s) return fail(s.error().message);
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
    line.example("Run it with optimized shaders, from the first time on.",
                 "lanewise run --optimize --wait -- ./simulation --steps 10");
    line.rest("PROGRAM", "FILE", o_.command, "the program to run, and its arguments").required();
    line.group("What to do with it");
    line.flag("--time", o_.times, "write GPU timestamps round every dispatch");
    line.value(
            "--optimize", "PASSES",
            [this](const std::string& passes) {
              o_.optimizes = true;
              o_.passes = splitResponse(passes);
              return ok();
            },
            "make compute pipelines of modules that 'lanewise opt PASSES' has optimized "
            "(default: -O), with the constants of the pipeline; modules that are not in the cache "
            "are optimized for the next run")
        .alone("-O");
    line.flag("--wait", o_.waits,
              "with --optimize: a pipeline is created when its module is optimized");
    line.value("--cache", "FOLDER", o_.cache,
               "where optimized modules are kept (default: lanewise/pipelines in the user's "
               "cache)");
    line.group("Output");
    line.value("--format", "text|json", choice("--format", o_.format, {"text", "json"}),
               "form of the report");
    line.value("-o,--output", "FILE", o_.output, "file to write it to (default: standard error)")
        .output();
    line.value("--json", "FILE.json", o_.json, "write the report as JSON as well").output();
    line.value("--record", "FILE.toml", o_.record,
               "write each compute pipeline's module, constants, subgroup size and dispatch sizes; "
               "modules go to a folder beside it")
        .output();
    line.check([this]() -> Status {
      if (!o_.times && !o_.optimizes && o_.record.empty())
        return failure("nothing to do: give --time, --optimize or --record=FILE.toml");
      if (o_.waits && !o_.optimizes) return failure("--wait needs --optimize");
      if (!o_.cache.empty() && !o_.optimizes) return failure("--cache needs --optimize");
      if (Status s = checkPasses(o_); !s) return s;
      if (Status s = checkDestination(o_.output, {}); !s) return s;
      if (Status s = checkDestination(o_.json, {o_.output}); !s) return s;
      return checkDestination(o_.record, {o_.output, o_.json});
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
