#include "batch/worker.h"

#include "batch/exclusive_verifier.h"
#include "compilers/cost_gate.h"
#include "compilers/module_stats.h"
#include "pipeline/option_use.h"
#include "report/html/report_subjects.h"
#include "support/files.h"
#include "support/isolate.h"
#include "support/print.h"
#include "targets/device_target.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

namespace lanewise::driver {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// What stands beside the input's name in a summary: the first line, without that name.
std::string reasonOf(const std::string& failure, const std::string& input) {
  std::string line = failure.substr(0, failure.find('\n'));
  if (const std::string prefix = input + ": "; line.starts_with(prefix))
    line.erase(0, prefix.size());
  return line;
}

std::string factsOf(const OptimizedInput& one, const ModuleStats* stats,
                    const std::vector<std::string>& unused) {
  Json facts;
  // One value after another: braces would copy each several times.
  facts["words"]["before"] = one.module.words().size();
  facts["words"]["after"] = one.outcome.words.size();
  size_t applied = 0, missed = 0;
  Json warnings = Json::array();
  for (const Remark& r : one.outcome.remarks) {
    if (r.kind == Remark::Kind::Applied) applied += r.count;
    if (r.kind == Remark::Kind::Missed) missed += r.count;
    if (r.kind == Remark::Kind::Warning)
      warnings.push_back({{"pass", r.pass}, {"name", r.name}, {"message", r.message}});
    if (r.kind == Remark::Kind::Note && r.function.empty()) facts[r.name] = r.message;
  }
  facts["remarks"]["applied"] = applied;
  facts["remarks"]["missed"] = missed;
  if (!warnings.empty()) facts["warnings"] = std::move(warnings);
  if (!unused.empty()) facts["unused-options"] = unused;
  if (one.verification) {
    facts["verification"] = one.verification->isVerified ? "verified" : "unverified";
    if (one.verification->foundDifference) facts["different"] = true;
    if (!one.verification->reason.empty()) facts["unverified-because"] = one.verification->reason;
  }
  if (stats) facts["compiler-stats"] = factsOf(*stats);
  if (!one.module.dependencies.empty()) facts["dependencies"] = one.module.dependencies;
  return facts.dump(-1, ' ', false, Json::error_handler_t::replace);
}

ItemResult failed(const std::string& failure, const std::string& input,
                  int exitCode = kBadUsageOrInput) {
  ItemResult result;
  result.exitCode = exitCode;
  result.reason = reasonOf(failure, input);
  result.errors = asErrorLines(failure);
  return result;
}

ItemResult resultOf(const Product& product) {
  ItemResult result;
  result.status = product.isChanged ? ItemStatus::Optimized : ItemStatus::Unchanged;
  result.exitCode = product.exitCode;
  result.standardError = product.standardError;
  result.standardOutput = product.standardOutput;
  result.remarks = product.remarks;
  result.facts = product.facts;
  result.page = product.page;
  return result;
}

/// The one that begins with `prefix`: the command says the same in a warning.
void eraseLine(std::string& text, const std::string& prefix) {
  size_t at = text.starts_with(prefix) ? 0 : text.find("\n" + prefix);
  if (at == std::string::npos) return;
  at += text[at] == '\n';
  text.erase(at, text.find('\n', at) - at + 1);
}

bool isChanged(const OptimizedInput& one, const OptOptions& options) {
  const bool isStripped = one.module.isSource() && !options.keepLines;
  return one.outcome.words != (isStripped ? stripLines(one.module.words()) : one.module.words());
}

/// What --html shows of an input; empty without it. Small: there may be thousands.
std::string pageOf(const BatchInput& input, const OptimizedInput& one, const OptOptions& options,
                   const ModuleStats* stats, const std::string* fallbackReason) {
  if (options.html.empty()) return {};
  SubjectDetail detail;
  detail.hasDiff = false;
  detail.mostSourceLines = 200;
  ReportSubject subject = subjectOf(input.path, one, options.keepLines, detail);
  if (stats) subject.tables.push_back(tableOf(*stats));
  if (fallbackReason) {
    subject.state = ReportState::Fallback;
    subject.reason = *fallbackReason;
  }
  return pack(entryByRelativeNames(std::move(subject), {options.scenario.path}));
}

/// Of an input that went through without an error.
Product productOf(const BatchInput& input, OptimizedInput& one, const OptOptions& options,
                  const ModuleStats* stats, const std::vector<std::string>& unused,
                  const std::string* fallbackReason = nullptr) {
  return {std::move(one.output.files.front().contents),
          one.module.dependencies,
          std::move(one.output.standardError),
          std::move(one.output.standardOutput),
          std::move(one.output.remarks),
          factsOf(one, stats, unused),
          pageOf(input, one, options, stats, fallbackReason),
          one.exitCode,
          isChanged(one, options)};
}

} // namespace

ItemResult BatchWorker::work(const PieceOfWork& piece) {
  prepare();
  const bool isCareful = piece.attempt > 0;
  IsolationLimits isolation = options_.isolation;
  isolation.fork = isolation.fork && isCareful;
  setDefaultIsolation(isolation);
  const BatchInput& input = plan_.inputs[piece.index];
  ItemResult result;
  Result<std::string> contents = readRegularFile(input.path);
  std::optional<Product> cached;
  if (contents && cache_ && piece.attempt == 0) cached = cache_->find(input.path, *contents);
  if (!contents) {
    result = failed(fmt::format("{}: {}", input.path, contents.error().message), input.path);
  } else if (cached) {
    result = resultOf(*cached);
    result.isHit = true;
    write(input, *cached, result);
  } else if (piece.attempt < kCarefulAttempts) {
    result = optimize(input, *contents, isCareful);
  } else {
    result = fallBack(input, *contents, piece.whyAgain, kDone);
  }
  if (cache_) result.trouble = cache_->trouble();
  return result;
}

void BatchWorker::prepare() {
  if (isReady_) return;
  options_ = plan_.options;
  options_.depfile.isWanted = false; // write() makes it, of products from the cache as well
  // Who asked for no remarks gets one line of all that are equal, at the end.
  options_.isQuiet |= options_.remarks == RemarkFilter::Warnings;
  // A device's driver may map more than there is.
  const bool asksCompilers = !plan_.compilers.empty() || !plan_.gateCompilers.empty();
  if (!options_.verify && !asksCompilers) limitMemory({});
  if (!plan_.compilers.empty()) {
    compilers_.emplace(plan_.compilers, CompilerIsolation::None);
    carefulCompilers_.emplace(plan_.compilers, CompilerIsolation::Each);
  }
  if (!plan_.gateCompilers.empty()) {
    gate_.emplace(plan_.gateCompilers, CompilerIsolation::None);
    carefulGate_.emplace(plan_.gateCompilers, CompilerIsolation::Each);
  }
  if (plan_.openStore) cache_ = std::make_unique<ResultCache>(plan_.openStore(), plan_.key);
  isReady_ = true;
}

/// What needs the device, before the first input that is not in the cache.
Status BatchWorker::openDevice() {
  if (options_.targetName == "device" && !hasTarget_) {
    Result<TargetProfile> target = loadDeviceTarget(options_.verification.device);
    if (!target) return target.error();
    options_.pipeline.target = std::move(*target);
    hasTarget_ = true;
  }
  if (!options_.verify || verifier_) return ok();
  Result<std::unique_ptr<Verifier>> verifier = Verifier::create(options_.verification);
  if (!verifier) return verifier.error();
  verifier_ = std::move(*verifier);
  if (plan_.timingLock >= 0)
    verifier_ = std::make_unique<ExclusiveVerifier>(std::move(verifier_), plan_.timingLock);
  return ok();
}

ItemResult BatchWorker::optimize(const BatchInput& input, const std::string& contents,
                                 bool isCareful) {
  if (Status s = openDevice(); !s)
    return failed(fmt::format("{}: {}", input.path, s.error().message), input.path, kNoDevice);
  const uint64_t limitsBefore = callsEndedByLimits();
  std::ostringstream log;
  if (gate_) options_.pipeline.whyDearer = CostGate(isCareful ? *carefulGate_ : *gate_, options_);
  OptionUse use(options_);
  options_.pipeline.onSite = use.listener();
  OptimizedInput one =
      optimizeInput(input.path, input.output, options_, verifier_.get(), log, &contents);
  options_.pipeline.onSite = {};
  if (one.module.read && use.asksModules()) use.see(*one.module.read);
  if (one.exitCode == kBadUsageOrInput) {
    const bool isLoaded = bool(one.module.read);
    if (!isLoaded || options_.pipeline.strict) return failed(one.failure, input.path);
    return fallBack(input, contents, reasonOf(one.failure, input.path),
                    options_.requiresVerified ? kFoundSomething : kDone);
  }
  const bool isVerified = !one.verification || one.verification->isVerified;
  const std::string whyNot = isVerified ? "" : one.verification->reason;
  // What it prints is in the summary as well, and there are totals.
  std::optional<ModuleStats> stats;
  if (compilers_)
    stats = compareByCompilers(one.module, one.outcome.words, options_,
                               isCareful ? *carefulCompilers_ : *compilers_);
  Product product = productOf(input, one, options_, stats ? &*stats : nullptr, use.unused());
  product.standardError = log.str() + product.standardError;
  // What a limit or a device decided may come out otherwise another time.
  if (cache_ && isVerified && callsEndedByLimits() == limitsBefore)
    cache_->keep(input.path, contents, one.module.probes, product);
  ItemResult result = resultOf(product);
  if (!isVerified && options_.requiresVerified) {
    result.status = ItemStatus::Fallback;
    result.reason = "not verified: " + whyNot;
    eraseLine(result.standardError, fmt::format("{}: unverified: ", input.path));
  }
  write(input, product, result);
  return result;
}

ItemResult BatchWorker::fallBack(const BatchInput& input, const std::string& contents,
                                 std::string reason, int exitCode) {
  if (options_.pipeline.strict)
    return failed(fmt::format("{}: {}", input.path, reason), input.path);
  OptOptions asItIs = options_;
  asItIs.steps.clear();
  asItIs.verify = asItIs.requiresVerified = asItIs.wantsDiff = false;
  std::ostringstream log;
  OptimizedInput one = optimizeInput(input.path, input.output, asItIs, nullptr, log, &contents);
  if (one.exitCode == kBadUsageOrInput) return failed(one.failure, input.path);
  Product product = productOf(input, one, asItIs, nullptr, {}, &reason);
  ItemResult result = resultOf(product);
  result.status = ItemStatus::Fallback;
  result.exitCode = exitCode;
  result.reason = std::move(reason);
  write(input, product, result);
  return result;
}

void BatchWorker::write(const BatchInput& input, const Product& product, ItemResult& result) {
  OutputFiles files;
  auto add = [&](std::string path, std::string contents) {
    // Left alone when it is as it should be: build systems go by its time.
    Result<std::string> old = readRegularFile(path);
    if (old && *old == contents) return;
    result.isNew = true;
    files.add(std::move(path), std::move(contents));
  };
  add(input.output, product.module);
  if (plan_.options.depfile.isWanted) {
    Result<std::string> depfile =
        depfileText(input.output, input.path, product.dependencies, plan_.options);
    if (!depfile) {
      result = failed(depfile.error().message, input.path);
      return;
    }
    add(input.output + ".d", std::move(*depfile));
  }
  if (!result.isNew) return;
  Status s = makeFolder(fs::path(input.output).parent_path().string());
  if (s) s = files.commit();
  if (!s) result = failed(s.error().message, input.path);
}

} // namespace lanewise::driver
