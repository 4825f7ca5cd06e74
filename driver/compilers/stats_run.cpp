#include "compilers/stats_run.h"

#include "compilers/pipeline_requests.h"
#include "support/files.h"
#include "support/isolate.h"
#include "support/progress_line.h"
#include "support/worker_pool.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <numeric>

namespace lanewise::driver {

namespace {

/// What a worker says of an input.
struct Answer {
  std::string rows, failure, warnings, trouble;
  std::string unused; ///< strings, packed: an option and its message in turn
  bool isHit = false;
};

std::string pack(const Answer& a) {
  return packStrings(std::array{a.rows, a.failure, a.warnings, a.trouble, a.unused,
                                std::string(a.isHit ? "1" : "")});
}

std::optional<Answer> unpackAnswer(std::string_view bytes) {
  std::vector<std::string> parts = unpackStrings(bytes);
  if (parts.size() != 6) return std::nullopt;
  return Answer{std::move(parts[0]), std::move(parts[1]), std::move(parts[2]),
                std::move(parts[3]), std::move(parts[4]), !parts[5].empty()};
}

std::string pack(const std::vector<UnusedConstant>& unused) {
  std::vector<std::string> strings;
  for (const UnusedConstant& one : unused) strings.insert(strings.end(), {one.option, one.message});
  return packStrings(strings);
}

std::vector<UnusedConstant> unpackUnused(std::string_view bytes) {
  const std::vector<std::string> strings = unpackStrings(bytes);
  std::vector<UnusedConstant> unused;
  for (size_t n = 0; n + 1 < strings.size(); n += 2) unused.push_back({strings[n], strings[n + 1]});
  return unused;
}

/// What the module is compiled with.
Result<Assumptions> assumptionsFor(const StatsInput& input, const Module& module) {
  Result<Assumptions> given = input.constants.assumptionsFor(module, input.assumptions);
  if (!given || !input.shader) return given;
  return ScenarioShaders::assumptionsFor(*input.shader, module, std::move(*given));
}

std::string nameOf(const StatsInput& input) {
  const std::string name = input.path == "-" ? "<stdin>" : input.path;
  return input.label.empty() ? name : fmt::format("{} ({})", name, input.label);
}

/// What the figures of an input depend on besides its contents and the run. Constants and sizes
/// differ from input to input where a scenario gives them.
std::string keyName(const StatsInput& input) {
  std::string key = fmt::format("{}\n{}", nameOf(input), input.load.entry);
  for (const auto& [macro, value] : input.load.defines) key += fmt::format("\n{}={}", macro, value);
  for (const auto& [id, bits] : input.assumptions.specConstants)
    key += fmt::format("\n{}:{:x}", id, bits);
  for (const auto& [id, value] : input.constants.values)
    key += fmt::format("\n{}={}", id, value.text);
  if (input.shader)
    for (const auto& [id, value] : input.shader->written)
      key += fmt::format("\n{}={}", id, value.text);
  if (const auto& size = input.assumptions.workgroupSize)
    key += fmt::format("\n{},{},{}", (*size)[0], (*size)[1], (*size)[2]);
  return key;
}

class StatsWorker {
public:
  StatsWorker(const StatsPlan& plan, const std::string& standardInput)
      : plan_(plan), standardInput_(standardInput) {}

  Answer work(const PieceOfWork& piece) {
    prepare();
    const bool isCareful = piece.attempt > 0;
    IsolationLimits isolation = limits_;
    isolation.fork = isolation.fork && isCareful;
    setDefaultIsolation(isolation);
    const StatsInput& input = plan_.inputs[piece.index];
    Answer answer;
    Result<std::string> contents =
        input.path == "-" ? Result<std::string>(standardInput_) : readRegularFile(input.path);
    if (!contents) {
      Result<LoadedModule> module = loadModule(input.path, input.load); // says it better
      answer.failure = module ? contents.error().message : module.error().message;
      return answer;
    }
    const std::string name = keyName(input);
    if (cache_ && !isCareful)
      if (std::optional<Product> known = cache_->find(name, *contents)) {
        answer.rows = known->facts;
        answer.warnings = known->standardError;
        answer.unused = known->remarks;
        answer.isHit = true;
        return answer;
      }
    compile(input, *contents, isCareful, answer);
    if (cache_) answer.trouble = cache_->trouble();
    return answer;
  }

private:
  void prepare() {
    if (set_) return;
    limits_ = defaultIsolation();
    set_.emplace(plan_.compilers, CompilerIsolation::None);
    careful_.emplace(plan_.compilers, CompilerIsolation::Each);
    if (plan_.openStore) cache_ = std::make_unique<ResultCache>(plan_.openStore(), plan_.key);
  }

  void compile(const StatsInput& input, const std::string& contents, bool isCareful,
               Answer& answer) {
    Result<LoadedModule> module = loadModule(input.path, input.load, &contents);
    if (!module) {
      answer.failure = module.error().message;
      return;
    }
    for (const std::string& warning : module->warnings) answer.warnings += warning + '\n';
    // Of HLSL, --entry has named the function to compile, whatever that is called in the module.
    const std::string entry = module->kind == InputKind::Hlsl ? std::string() : input.load.entry;
    // Without the lines that source is compiled with: a driver has no use for them.
    const Words words = module->isSource() ? stripLines(module->words()) : module->words();
    ConstantUse use(input.constants);
    use.see(*module->read);
    answer.unused = pack(use.unused());
    Result<Assumptions> given = assumptionsFor(input, *module->read);
    if (!given) {
      answer.failure = fmt::format("{}: {}", nameOf(input), given.error().message);
      return;
    }
    Result<std::vector<StageRequest>> requests = requestsFor(words, *given, entry);
    if (!requests) {
      answer.failure = fmt::format("{}: {}", nameOf(input), requests.error().str());
      return;
    }
    for (StageRequest& request : *requests)
      request.pipeline.wantsRepresentations = plan_.wantsRepresentations;
    const uint64_t limitsBefore = callsEndedByLimits();
    answer.rows = pack((isCareful ? *careful_ : *set_).compile(*requests));
    // What a compiler crashes on it crashes on again; what took too long may be quicker next time.
    if (!cache_ || callsEndedByLimits() != limitsBefore) return;
    Product product;
    product.facts = answer.rows;
    product.standardError = answer.warnings;
    product.remarks = answer.unused;
    cache_->keep(keyName(input), contents, module->probes, product);
  }

  const StatsPlan& plan_;
  const std::string& standardInput_;
  IsolationLimits limits_;
  std::optional<CompilerSet> set_, careful_;
  std::unique_ptr<ResultCache> cache_;
};

} // namespace

Result<StatsOutcome> runStats(const StatsPlan& plan) {
  std::string standardInput;
  for (const StatsInput& input : plan.inputs)
    if (input.path == "-") {
      Result<std::string> read = readFile("-");
      if (!read) return read.error();
      standardInput = std::move(*read);
      break;
    }
  StatsOutcome outcome;
  for (const StatsInput& input : plan.inputs) outcome.inputs.push_back({nameOf(input), {}, {}});
  std::vector<uint32_t> order(plan.inputs.size());
  std::iota(order.begin(), order.end(), 0);
  PoolOptions pool;
  pool.workers = std::min(plan.jobs, uint32_t(plan.inputs.size()));
  pool.attempts = 2;
  // The second attempt stops each compilation by itself.
  pool.limitOf = [&](uint32_t attempt) -> std::chrono::milliseconds {
    const auto compilations = std::max<size_t>(plan.compilers.size(), 1);
    return defaultIsolation().time * (attempt == 0 ? 1 : 10 * compilations);
  };
  StatsWorker worker(plan, standardInput);
  size_t done = 0;
  std::string trouble;
  std::vector<std::vector<UnusedConstant>> unused;
  PoolEvents events;
  events.work = [&](const PieceOfWork& piece) { return pack(worker.work(piece)); };
  events.finished = [&](uint32_t index, Result<std::string> bytes) {
    ++done;
    InputStats& to = outcome.inputs[index];
    std::optional<Answer> answer = bytes ? unpackAnswer(*bytes) : std::nullopt;
    std::optional<std::vector<CompilerRow>> rows;
    if (answer && answer->failure.empty()) rows = unpackRows(answer->rows);
    if (rows)
      to.rows = std::move(*rows);
    else if (answer && !answer->failure.empty())
      to.failure = answer->failure;
    else
      to.failure =
          fmt::format("{}: {}", to.name,
                      bytes ? "malformed reply from its worker process" : bytes.error().message);
    if (!answer) return;
    outcome.hits += answer->isHit;
    if (!answer->warnings.empty()) outcome.warnings.push_back(answer->warnings);
    if (!answer->trouble.empty()) trouble = answer->trouble;
    if (answer->failure.empty()) unused.push_back(unpackUnused(answer->unused));
  };
  events.tick = [&] {
    ProgressLine::tell(ProgressLine::Level::Task, fmt::format("[{}/{}]", done, plan.inputs.size()));
  };
  if (Status s = runPool(order, pool, events); !s) return s.error();
  outcome.unused = unusedInAll(unused);
  if (!trouble.empty())
    outcome.warnings.push_back(
        fmt::format("lanewise: warning: cannot write the cache: {}\n", trouble));
  return outcome;
}

} // namespace lanewise::driver
