// `lanewise batch`: all shaders of a folder or a list, on all cores, with a cache
// (docs/batch.md, docs/design/batch-cache.md).
#include "batch/cache/run_key.h"
#include "batch/cache/store.h"
#include "batch/inputs.h"
#include "batch/summary.h"
#include "batch/worker.h"
#include "commands/commands.h"
#include "options/batch_options.h"
#include "options/option_groups.h"
#include "pipeline/option_use.h"
#include "report/html/report_subjects.h"
#include "support/files.h"
#include "support/interrupt_note.h"
#include "support/print.h"
#include "support/progress_line.h"
#include "support/worker_pool.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

namespace lanewise::driver {

namespace {

namespace fs = std::filesystem;

class BatchCommand : public Command {
public:
  void declare(CommandLine& line) override { declareBatch(line, plan_.options, batch_); }

  int run(const CommandLine& line) override {
    setDefaultValidation(options().validation); // the workers are forked from here
    shown_ = line.shown();
    plan_.key.flags = keyOf(line, options());
    // What the page shows is kept with a result, but only for those who want it.
    if (!options().html.empty()) plan_.key.flags.insert(plan_.key.flags.end(), {"--html", ""});
    if (int code = prepare()) return code;
    if (Status s = runWorkers(); !s) return fail(s.error().message);
    progress_.reset();
    tellUnused();
    if (int code = sumUpCompilers()) exitCode_ = std::max(exitCode_, code);
    if (int code = writeReports()) exitCode_ = std::max(exitCode_, code);
    prune(batch_.cache);
    if (!options().isQuiet) {
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started_;
      printError("{}", summaryAsText(counts_, facts(), took.count()));
    }
    return exitCode_;
  }

private:
  bool hasCache() const { return batch_.cache.isGiven(); }
  const OptOptions& options() const { return plan_.options; }
  BatchFacts facts() const { return {hasCache(), options().verify}; }

  /// What can go wrong before any input is read. Nothing here starts a thread: workers are forked.
  int prepare() {
    InputRequest request{options().inputs.front(), options().output, batch_.root, batch_.exclude,
                         options().asText};
    Result<std::vector<BatchInput>> inputs = collectInputs(request);
    if (!inputs) return fail(inputs.error().message);
    plan_.inputs = std::move(*inputs);
    if (int code = checkPlaces()) return code;
    if (options().targetName != "device")
      if (int code = openTarget(options().targetName, {}, plan_.options.pipeline.target))
        return code;
    if (int code = completeKey()) return code;
    if (!batch_.baseline.empty()) { // read at once: --json may replace it
      Result<std::string> text = readRegularFile(batch_.baseline);
      if (!text) return fail(fmt::format("{}: {}", batch_.baseline, text.error().message));
      baseline_ = StatsBaseline{batch_.baseline, std::move(*text)};
      if (Result<StatsSummary> sum = summarize({}, baseline_, {}); !sum)
        return fail(sum.error().message);
    }
    // Times take seconds for each input, on a device that one worker has at a time.
    if (!usesTimes()) plan_.options.verification.timing = false;
    if (options().verify && options().verification.timing) {
      Result<Descriptor> lock = openScratchFile();
      if (lock) timingLock_ = std::move(*lock);
      plan_.timingLock = timingLock_.get();
    }
    removeLeftovers();
    // Who has thousands of shaders done knows that it takes a while.
    progress_.emplace(!options().isQuiet && options().format == ReportFormat::Text,
                      std::chrono::milliseconds(0));
    return kDone;
  }

  /// Whether anything hangs on them, or shows them.
  bool usesTimes() const {
    const OptOptions& o = options();
    const bool hasReports = !o.isQuiet && o.remarks != RemarkFilter::Warnings;
    return o.keepIf == KeepIf::Faster || !o.html.empty() || hasReports ||
           o.format == ReportFormat::Json;
  }

  int checkPlaces() const {
    if (fs::exists(options().output) && !isFolder(options().output))
      return fail(fmt::format("{}: a file, not a folder", options().output));
    std::vector<std::string> others{options().scenario.path};
    for (const BatchInput& input : plan_.inputs) {
      others.insert(others.end(), {input.path, input.output});
      if (options().depfile.isWanted) others.push_back(options().depfile.pathFor(input.output));
    }
    for (const std::string& path : {batch_.json, options().remarksFile, options().html}) {
      if (path.empty() || path == "-") continue;
      if (Status s = checkIsAnother(path, others); !s) return fail(s.error().message);
      // Below the output folder it may be made with it.
      std::error_code ignored;
      fs::create_directories(fs::path(path).parent_path(), ignored);
      if (Status s = checkDestination(path, {}); !s) return fail(s.error().message);
      others.push_back(path);
    }
    return kDone;
  }

  /// What the compilers say is part of the results.
  int choose(const char* option, const std::string& names, std::vector<CompilerChoice>& chosen) {
    if (names.empty()) return kDone;
    Result<std::vector<CompilerChoice>> choices = chooseCompilers(names);
    if (!choices)
      return fail(fmt::format("{}: {}", option, choices.error().message),
                  areCompilerNames(names) ? kNoDevice : kBadUsageOrInput);
    Result<std::string> identity = identityOf(*choices);
    if (!identity) return fail(identity.error().message, kNoDevice);
    chosen = std::move(*choices);
    plan_.key.device += *identity;
    return kDone;
  }

  int completeKey() {
    RunKeyRequest request{options(), hasCache()};
    Result<RunKey> key = makeRunKey(request, std::move(plan_.key.flags));
    if (!key) return fail(key.error().message);
    plan_.key = std::move(*key);
    Result<std::string> device = deviceIdentity(options());
    if (!device) return fail(device.error().message, kNoDevice);
    plan_.key.device = std::move(*device);
    if (int code = choose("--compiler-stats", options().compilerStats, plan_.compilers))
      return code;
    if (int code = choose("--keep-if=cheaper", options().gateCompilers, plan_.gateCompilers))
      return code;
    if (hasCache()) plan_.openStore = [this] { return openStore(batch_.cache); };
    return kDone;
  }

  /// Of runs that were killed. Only the folders that this run writes to are looked at.
  void removeLeftovers() const {
    std::set<std::string> folders;
    for (const BatchInput& input : plan_.inputs)
      folders.insert(fs::path(input.output).parent_path().string());
    for (const std::string& folder : folders)
      if (isFolder(folder)) removeStaleTemporaries(folder);
  }

  Status runWorkers() {
    results_.resize(plan_.inputs.size());
    isDone_.resize(plan_.inputs.size());
    // Large ones first, so that none is left for one worker alone at the end.
    std::vector<uint32_t> order(plan_.inputs.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return plan_.inputs[a].bytes > plan_.inputs[b].bytes;
    });
    PoolOptions pool;
    pool.workers = batch_.jobs;
    pool.attempts = kCarefulAttempts + 1;
    // An endless loop in third-party code is found by the first limit and told from our own by the
    // second attempt, which stops each such call by itself and so has a larger one.
    pool.limitOf = [&](uint32_t attempt) -> std::chrono::milliseconds {
      constexpr int kCalls = 10;
      return options().isolation.time * (attempt == 0 && !options().verify ? 1 : kCalls);
    };
    InterruptNote note("no output was written", InterruptNote::Ends::WhenTold);
    note_ = &note;
    BatchWorker worker(plan_);
    PoolEvents events;
    events.work = [&](const PieceOfWork& piece) { return pack(worker.work(piece)); };
    events.finished = [&](uint32_t index, Result<std::string> answer) {
      take(index, std::move(answer));
    };
    events.tick = [&] {
      ProgressLine::tell(ProgressLine::Level::Task, progressAsText(counts_, plan_.inputs.size()));
    };
    events.isOver = [&] { return note.isDue(); };
    Status done = runPool(order, pool, events);
    note_ = nullptr;
    if (note.isDue()) {
      progress_.reset();
      for (size_t n = next_; n < results_.size(); ++n)
        if (isDone_[n]) say(n);
      note.end();
    }
    return done;
  }

  void tellKept() {
    const size_t done = counts_.files - counts_.failed;
    note_->say(fmt::format("{} of {} outputs are done in {}{}", done, plan_.inputs.size(),
                           options().output,
                           hasCache() ? "; the next run finds them in the cache" : ""));
  }

  void take(uint32_t index, Result<std::string> answer) {
    ItemResult& result = results_[index];
    std::optional<ItemResult> told = answer ? unpackItem(*answer) : std::nullopt;
    if (told) {
      result = std::move(*told);
    } else {
      result.exitCode = kBadUsageOrInput;
      result.reason = answer ? "malformed reply from its worker process" : answer.error().message;
      result.errors =
          fmt::format("lanewise: error: {}: {}\n", plan_.inputs[index].path, result.reason);
    }
    isDone_[index] = true;
    counts_.add(result);
    tellKept();
    exitCode_ = std::max(exitCode_, result.exitCode);
    if (!result.trouble.empty() && !hasWarnedOfCache_) {
      hasWarnedOfCache_ = true;
      printError("lanewise: warning: cannot write the cache: {}\n", result.trouble);
    }
    // In the order of the inputs, whoever was quicker.
    for (; next_ < results_.size() && isDone_[next_]; ++next_) say(next_);
  }

  void say(size_t index) {
    ItemResult& result = results_[index];
    remarks_ += std::exchange(result.remarks, {});
    std::string errors = std::exchange(result.errors, {});
    if (result.status == ItemStatus::Fallback)
      errors += fmt::format("lanewise: warning: {}: not optimized, copied unchanged: {}\n",
                            plan_.inputs[index].path, result.reason);
    const std::string text = std::exchange(result.standardError, {});
    const std::string out = std::exchange(result.standardOutput, {});
    if (errors.empty() && text.empty() && out.empty()) return;
    printDiagnostics(stderr, errors);
    if (options().format == ReportFormat::Json)
      printPlain(stderr, text);
    else
      printDiagnostics(stderr, text);
    printOut("{}", out);
  }

  /// Options without which all outputs would be the same. What one of many modules lacks is no
  /// mistake.
  void tellUnused() const {
    if (const std::string text = noPassText(options()); !text.empty())
      printError("lanewise: note: {}\n", text);
    if (options().format == ReportFormat::Json) return; // --json has them, file by file
    for (const std::string& option : unusedOptions(results_))
      printError("lanewise: warning: {}\n", unusedText(option));
  }

  /// What compilers make of all of it (--compiler-stats).
  int sumUpCompilers() {
    if (plan_.compilers.empty()) return kDone;
    std::vector<FactsOfInput> facts;
    for (size_t i = 0; i < results_.size(); ++i)
      facts.push_back({plan_.inputs[i].path, results_[i].facts});
    Result<StatsSummary> summary = summarize(facts, baseline_, batch_.failIfWorse);
    if (!summary) return fail(summary.error().message);
    stats_ = std::move(*summary);
    const bool isWorse = batch_.failIfWorse && stats_->isWorse();
    if (!options().isQuiet || isWorse) printError("{}", summaryAsText(*stats_, batch_.failIfWorse));
    return isWorse ? int(kFoundSomething) : int(kDone);
  }

  /// Workers have read them.
  void keepIncludes() const {
    for (const ItemResult& result : results_) {
      const nlohmann::json facts = nlohmann::json::parse(result.facts, nullptr, false);
      const auto read = facts.is_object() ? facts.find("dependencies") : facts.end();
      if (facts.is_object() && read != facts.end())
        for (const std::string path : *read) keepFile(path);
    }
  }

  int writeReports() {
    OutputFiles files;
    if (!batch_.json.empty())
      files.add(batch_.json, summaryAsJson(plan_.inputs, results_, counts_, facts(),
                                           stats_ ? &*stats_ : nullptr));
    if (!options().remarksFile.empty() && options().remarks != RemarkFilter::None)
      files.add(options().remarksFile, std::move(remarks_));
    if (!options().html.empty()) files.add(options().html, page());
    if (files.isEmpty()) return kDone;
    keepIncludes();
    if (Status s = files.commit(); !s) return fail(s.error().message);
    return kDone;
  }

  static std::string titleOf(const std::string& from) {
    if (from == "-") return "standard input";
    const fs::path last = fs::path(from).filename();
    std::error_code ignored;
    return last == "." || last == ".." ? fs::weakly_canonical(from, ignored).filename().string()
                                       : from;
  }

  std::string page() const {
    ReportPage page;
    page.command = "batch";
    page.title = titleOf(options().inputs.front());
    page.facts = {{"command", shown_}, {"target", options().targetName}};
    if (options().scenario.isGiven()) page.facts.push_back({"scenario", options().scenario.path});
    for (ReportFact& fact : versionFacts()) page.facts.push_back(std::move(fact));
    addSubjects(page, {},
                {options().inputs.front(), options().scenario.path, options().targetName});
    for (size_t n = 0; n < results_.size(); ++n) {
      std::optional<ReportEntry> entry = unpackEntry(results_[n].page);
      if (!entry || results_[n].status == ItemStatus::Failed) {
        ReportSubject failed;
        failed.name = plan_.inputs[n].path;
        failed.state = ReportState::Failed;
        failed.reason = results_[n].reason;
        entry = entryByRelativeNames(std::move(failed), {});
      }
      page.entries.push_back(std::move(*entry));
    }
    return htmlReport(page);
  }

  BatchOptions batch_;
  std::string shown_;
  BatchPlan plan_;
  Descriptor timingLock_;
  std::optional<ProgressLine> progress_;
  InterruptNote* note_ = nullptr; ///< while the workers run
  std::vector<ItemResult> results_;
  std::vector<bool> isDone_;
  std::optional<StatsBaseline> baseline_;
  std::optional<StatsSummary> stats_; ///< with --compiler-stats
  size_t next_ = 0;                   ///< the first input that nothing has been said of
  BatchCounts counts_;
  std::string remarks_;
  bool hasWarnedOfCache_ = false;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  int exitCode_ = kDone;
};

} // namespace

std::unique_ptr<Command> makeBatchCommand() {
  return std::make_unique<BatchCommand>();
}

} // namespace lanewise::driver
