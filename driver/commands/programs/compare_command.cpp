// `lanewise compare`: a program with and without optimized shaders (docs/compare.md).
#include "commands/commands.h"
#include "commands/programs/opt_passes.h"
#include "options/option_groups.h"
#include "options/response_file.h"
#include "run/comparison.h"
#include "run/run_text.h"
#include "support/failure.h"
#include "support/files.h"
#include "support/interrupt_note.h"
#include "support/print.h"
#include "support/progress_line.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace lanewise::driver {
namespace {

enum class CompareFormat { Text, Json };

struct CompareArguments {
  LayerRequest layer; ///< of the runs that optimize
  std::string optimize = "-O";
  std::optional<uint64_t> repeats; ///< none: as many as the kernels take
  bool looksForRemedies = true;
  CompareFormat format = CompareFormat::Text;
  std::string output = "-", json;
};

/// The last line that a program printed, for whoever asks why it failed.
std::string lastLineOf(const std::string& file) {
  Result<std::string> read = readRegularFile(file);
  std::string text = read ? *read : std::string();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

std::string endText(const ProgramEnd& end) {
  if (end.signal != 0)
    return fmt::format("ended by signal {} ({})", end.signal, ::strsignal(end.signal));
  // A shell in between says it so.
  const int signal = end.exitCode - 128;
  if (signal > 0 && signal < NSIG)
    return fmt::format("exit code {} (signal {}: {})", end.exitCode, signal, ::strsignal(signal));
  return fmt::format("exit code {}", end.exitCode);
}

/// The runs of one comparison, a round after the other.
class Rounds {
public:
  Rounds(const CompareArguments& o, const std::string& cache)
      : repeats_(o.repeats), cache_(cache) {}

  /// Runs that fill the cache, so that no time is counted in which a module is optimized. The
  /// first one says how many kernels there are, and so how many rounds are needed.
  Status warmUp(const LayerRequest& optimized) {
    Result<LayerRun> run = once(optimized, "optimizing");
    if (!run) return run.error();
    if (!repeats_) repeats_ = std::max(kLeastRounds, roundsFor(optimizedKernels(*run)));
    return ok();
  }

  /// First one way, then the other, and the next time the other way round: what drifts hits both.
  Result<Comparison> run(const LayerRequest& optimized, const std::string& title) {
    std::vector<LayerRun> without, with;
    LayerRequest plain = optimized;
    plain.optimizes = false;
    for (uint64_t n = 0; n < *repeats_; ++n)
      for (const bool isOptimized : {n % 2 != 0, n % 2 == 0}) {
        Result<LayerRun> run =
            once(isOptimized ? optimized : plain, fmt::format("{}{}/{}", title, n + 1, *repeats_));
        if (!run) return run.error();
        (isOptimized ? with : without).push_back(std::move(*run));
      }
    return compareRuns(without, with);
  }

  /// Has the modules of the last run.
  const std::string& modules() const { return scratch_->path(); }
  const std::set<std::string>& troubles() const { return troubles_; }
  /// The signal by which somebody stopped the comparison; 0: nobody did.
  int interrupted() const { return interrupted_; }

private:
  /// What a shell says of a program that somebody stopped counts as well: it may be that only the
  /// program got the signal.
  static int interruptionOf(const ProgramEnd& end) {
    return end.interrupted != 0 ? end.interrupted : end.passedOn() == 128 + SIGINT ? SIGINT : 0;
  }

  Result<LayerRun> once(LayerRequest request, const std::string& what) {
    ProgressLine::tell(ProgressLine::Level::Task, fmt::format("{}: {}", request.command[0], what));
    Result<RunFolder> scratch = RunFolder::create();
    if (!scratch) return scratch.error();
    scratch_ = std::make_unique<RunFolder>(std::move(*scratch));
    request.printsTo = modules() + "/printed";
    request.cache = cache_;
    Result<LayerRun> run = runUnderLayer(request, modules());
    if (!run) return run;
    troubles_.insert(run->troubles.begin(), run->troubles.end());
    interrupted_ = interruptionOf(run->end);
    if (interrupted_ != 0) return failure("interrupted");
    if (run->end.passedOn() == 0) return run;
    const std::string last = lastLineOf(request.printsTo);
    return failure(fmt::format("{}: {}{}{}", request.command[0], whoseFailure(request, run->end),
                               endText(run->end), last.empty() ? "" : ": " + last));
  }

  /// The program's own, or of the optimized shaders: then it ends otherwise without.
  std::string whoseFailure(LayerRequest request, const ProgramEnd& end) {
    if (!request.optimizes) return "without optimized shaders, ";
    Result<RunFolder> scratch = RunFolder::create();
    if (!scratch) return {};
    request.optimizes = false;
    request.printsTo = scratch->path() + "/printed";
    const Result<LayerRun> plain = runUnderLayer(request, scratch->path());
    return plain && plain->end.passedOn() == end.passedOn() ? "" : "with optimized shaders, ";
  }

  static constexpr uint64_t kLeastRounds = 7;
  std::optional<uint64_t> repeats_;
  std::string cache_;
  std::unique_ptr<RunFolder> scratch_;
  std::set<std::string> troubles_;
  int interrupted_ = 0;
};

std::vector<const PipelineComparison*> losersOf(const Comparison& c) {
  std::vector<const PipelineComparison*> losers;
  for (const PipelineComparison& one : c.pipelines)
    if (one.isSlower()) losers.push_back(&one);
  return losers;
}

/// The pipelines that lost, in another comparison.
std::vector<PipelineComparison> again(const std::vector<const PipelineComparison*>& losers,
                                      const Comparison& other) {
  std::vector<PipelineComparison> found;
  for (const PipelineComparison* loser : losers)
    for (const PipelineComparison& one : other.pipelines)
      if (one.pipeline.module == loser->pipeline.module &&
          one.pipeline.constants == loser->pipeline.constants &&
          one.pipeline.name == loser->pipeline.name)
        found.push_back(one);
  return found;
}

/// One of the passes that rewrote something in a pipeline that lost, left out, where that helps all
/// of them: it is tried. And what needs no trial: the modules left out.
Result<std::vector<Remedy>> remediesFor(const CompareArguments& o, const Comparison& c,
                                        Rounds& rounds) {
  const std::vector<const PipelineComparison*> losers = losersOf(c);
  std::vector<Remedy> remedies;
  if (losers.empty()) return remedies;
  Remedy leaveOut;
  std::map<std::string, size_t> passes; // and in how many of them
  for (const PipelineComparison* loser : losers) {
    const std::string hash = loser->pipeline.module;
    if (std::find(leaveOut.modules.begin(), leaveOut.modules.end(), hash) == leaveOut.modules.end())
      leaveOut.modules.push_back(hash);
    for (const std::string& pass : appliedPasses(loser->pipeline, o.layer.passes, rounds.modules()))
      ++passes[pass];
  }
  for (const auto& [pass, count] : passes) {
    if (!o.looksForRemedies || count != losers.size()) continue;
    LayerRequest without = o.layer;
    without.passes.push_back(fmt::format("--skip={}:*", pass));
    if (Status s = rounds.warmUp(without); !s) return s.error();
    Result<Comparison> tried = rounds.run(without, fmt::format("without {}, ", pass));
    if (!tried) return tried.error();
    Remedy remedy{fmt::format("--optimize='{} --skip={}:*'", o.optimize, pass), leaveOut.modules,
                  again(losers, *tried)};
    const bool helps = std::none_of(remedy.after.begin(), remedy.after.end(),
                                    [](const PipelineComparison& p) { return p.seemsSlower(); });
    if (helps && !remedy.after.empty()) remedies.push_back(std::move(remedy));
  }
  std::vector<std::string> digits;
  for (const std::string& hash : leaveOut.modules) digits.push_back(hash.substr(0, kHashDigits));
  leaveOut.options = fmt::format("--leave-out={}", fmt::join(digits, ","));
  remedies.push_back(std::move(leaveOut));
  return remedies;
}

Status writeReports(const CompareArguments& o, const Comparison& c,
                    const std::vector<Remedy>& remedies) {
  const std::string json = comparisonAsJson(c, remedies).dump(2) + "\n";
  OutputFiles files;
  if (!o.json.empty()) files.add(o.json, json);
  files.add(o.output, o.format == CompareFormat::Json ? json : comparisonAsText(c, remedies));
  ProgressLine::wipe();
  return files.commit();
}

constexpr std::string_view kInterrupted = "the comparison is not finished";

/// Of a comparison that did not come to its end.
int failOf(const Rounds& rounds, const Error& error) {
  if (rounds.interrupted() == 0) return fail(error.message);
  printError("lanewise: interrupted: {}\n", kInterrupted);
  return 128 + rounds.interrupted();
}

int run(const CompareArguments& o) {
  ignoreClosedPipes();
  const InterruptNote note(kInterrupted); // between the runs
  Result<RunFolder> cache = RunFolder::create();
  if (!cache) return fail(cache.error().message);
  ProgressLine progress(true);
  Rounds rounds(o, o.layer.cache.empty() ? cache->path() : o.layer.cache);
  if (Status s = rounds.warmUp(o.layer); !s) return failOf(rounds, s.error());
  Result<Comparison> compared = rounds.run(o.layer, "");
  if (!compared) return failOf(rounds, compared.error());
  Result<std::vector<Remedy>> remedies = remediesFor(o, *compared, rounds);
  if (!remedies) return failOf(rounds, remedies.error());
  if (compared->created == 0)
    return fail(fmt::format("{}: created no compute pipeline that the layer saw (docs/run.md)",
                            o.layer.command[0]));
  for (const std::string& trouble : rounds.troubles())
    printError("lanewise: warning: {}\n", trouble);
  if (Status s = writeReports(o, *compared, *remedies); !s) return fail(s.error().message);
  return losersOf(*compared).empty() && !compared->isProgramSlower() ? kDone : kFoundSomething;
}

class CompareCommand : public Command {
public:
  void declare(CommandLine& line) override {
    line.about(
        "Runs a program that uses Vulkan with and without optimized shaders, several times each in "
        "turn, and compares the times of each compute pipeline and of the whole. What PROGRAM "
        "prints is not shown, and not compared.\nExit codes: 0 nothing is slower; 1 bad usage, or "
        "PROGRAM fails; 2 a pipeline or the program is slower, by 95 % confidence for all "
        "pipelines together.");
    line.example("What optimizing does to a program.",
                 "lanewise compare -- ./simulation --steps 10");
    line.example("What one pass does to it.",
                 "lanewise compare --optimize='-O --skip=pad-shared-memory:*' -- ./simulation");
    line.rest("PROGRAM", "FILE", o_.layer.command, "the program to run, and its arguments")
        .required();
    line.group("What to compare");
    line.value("--optimize", "PASSES", o_.optimize,
               "passes and options of 'lanewise opt' for the modules (default: -O)");
    line.value("--repeats", "N", o_.repeats,
               "runs each way (default: 7, or as many as it takes to call one of the program's "
               "kernels faster or slower: 12 for 64)");
    addTuningOptions(line, o_.layer.tuning);
    line.each("--leave-out", "HASH,...", leftOutModules(o_.layer.leftOut),
              "modules that stay as they are, by the first digits of their hashes");
    line.flag("--no-remedies", o_.looksForRemedies,
              "run nothing more to find the pass that a pipeline lost by", false);
    line.value("--cache", "FOLDER", o_.layer.cache,
               "where optimized modules are kept (default: a folder for this run)");
    line.group("Output");
    line.value("--format", "text|json", choice("--format", o_.format, {"text", "json"}),
               "form of the comparison");
    line.value("-o,--output", "FILE", o_.output, "file to write it to (default: standard output)")
        .output();
    line.value("--json", "FILE.json", o_.json, "write the comparison as JSON as well").output();
    line.check([this]() -> Status {
      if (o_.repeats && (*o_.repeats < 1 || *o_.repeats > 1000))
        return failure("--repeats must be from 1 to 1000");
      o_.layer.times = o_.layer.optimizes = o_.layer.waits = true;
      o_.layer.passes = splitResponse(o_.optimize);
      if (Status s = checkOptPasses("--optimize", o_.layer.passes); !s) return s;
      o_.layer.passFiles = digestOfPassFiles(o_.layer.passes);
      if (Status s = checkDestination(o_.output, {}); !s) return s;
      return checkDestination(o_.json, {o_.output});
    });
  }

  int run(const CommandLine&) override { return driver::run(o_); }

private:
  CompareArguments o_;
};

} // namespace

std::unique_ptr<Command> makeCompareCommand() {
  return std::make_unique<CompareCommand>();
}

} // namespace lanewise::driver
