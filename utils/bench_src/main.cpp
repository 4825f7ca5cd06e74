// Throughput of Lanewise beside SPIRV-Tools over the same modules, and whether its time grows with
// a module's size and not faster. Run through utils/bench.
#include "corpus.h"
#include "measure.h"
#include "pipelines.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>

namespace {

using namespace lanewise::bench;

struct Options {
  std::vector<std::string> inputs;
  std::vector<std::string> bigInputs; ///< measured one by one
  std::string jsonFile;
  uint32_t repeats = 5;
  bool slowPipelines = true;
  uint32_t growToMegabytes = 0; ///< 0: do not grow
};

constexpr char kUsage[] =
    "usage: lanewise_bench [--json=FILE] [--repeats=N] [--quick] [--big=FILE]... [--grow=MB] "
    "INPUT...\n"
    "  INPUT      a .spv file, a directory of them, or a text file that lists them\n"
    "  --quick    leave out the slow rows (spirv-val, spirv-opt -O)\n"
    "  --big      also measure this module alone, to see time against size\n"
    "  --grow     also measure the largest input with its functions repeated up to MB megabytes\n";

bool takeValue(const std::string& argument, const char* name, std::string& value) {
  std::string prefix = std::string(name) + "=";
  if (!argument.starts_with(prefix)) return false;
  value = argument.substr(prefix.size());
  return true;
}

bool parseArguments(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i], value;
    if (takeValue(argument, "--json", options.jsonFile)) continue;
    if (takeValue(argument, "--repeats", value))
      options.repeats = std::max(1, std::atoi(value.c_str()));
    else if (takeValue(argument, "--grow", value))
      options.growToMegabytes = static_cast<uint32_t>(std::max(0, std::atoi(value.c_str())));
    else if (takeValue(argument, "--big", value))
      options.bigInputs.push_back(value);
    else if (argument == "--quick")
      options.slowPipelines = false;
    else if (argument.starts_with("-"))
      return false;
    else
      options.inputs.push_back(argument);
  }
  return !options.inputs.empty();
}

double toMegabytes(size_t bytes) {
  return static_cast<double>(bytes) / 1e6;
}

/// One row of the throughput table.
struct Row {
  const Pipeline* pipeline = nullptr;
  Times times;
  size_t failed = 0;
  double seconds = 0;      ///< over the modules that every pipeline could process
  double p50 = 0, p99 = 0; ///< seconds a module, over the same
};

double percentile(std::vector<double> values, double fraction) {
  if (values.empty()) return 0;
  auto at = static_cast<size_t>(fraction * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(at), values.end());
  return values[at];
}

/// Fills in the rows' sums over the modules that all of them processed; the size of those in bytes.
size_t summarize(const std::vector<CorpusModule>& corpus, std::vector<Row>& rows, size_t& modules) {
  size_t bytes = 0;
  std::vector<std::vector<double>> single(rows.size());
  for (size_t i = 0; i < corpus.size(); ++i) {
    bool inAll =
        std::all_of(rows.begin(), rows.end(), [&](const Row& r) { return r.times[i].has_value(); });
    for (size_t r = 0; r < rows.size(); ++r) {
      if (!rows[r].times[i]) ++rows[r].failed;
      if (inAll) rows[r].seconds += *rows[r].times[i], single[r].push_back(*rows[r].times[i]);
    }
    if (inAll) bytes += corpus[i].bytes(), ++modules;
  }
  for (size_t r = 0; r < rows.size(); ++r)
    rows[r].p50 = percentile(single[r], 0.5), rows[r].p99 = percentile(single[r], 0.99);
  return bytes;
}

/// Says on stderr which modules our own rows could not process: that is always worth a look.
void nameFailures(const std::vector<CorpusModule>& corpus, const Row& row) {
  if (!row.pipeline->name.starts_with("lanewise")) return;
  for (size_t i = 0; i < corpus.size(); ++i)
    if (!row.times[i]) fmt::print(stderr, "{} failed on {}\n", row.pipeline->name, corpus[i].name);
}

/// The throughput table as text on stdout; its rows as JSON objects.
std::string reportThroughput(const std::vector<CorpusModule>& corpus, const Options& options) {
  std::vector<Row> rows;
  for (const Pipeline& pipeline : allPipelines()) {
    if (pipeline.slow && !options.slowPipelines) continue;
    Row row;
    row.pipeline = &pipeline;
    row.times = measure(pipeline, corpus, pipeline.slow ? 1 : options.repeats);
    nameFailures(corpus, row);
    rows.push_back(std::move(row));
  }
  size_t modules = 0;
  size_t bytes = summarize(corpus, rows, modules);

  fmt::print("{} modules, {:.2f} MB, that every row can process; one core, best of {} runs\n\n",
             modules, toMegabytes(bytes), options.repeats);
  fmt::print("{:<22} {:>9} {:>12} {:>12} {:>8}\n", "", "MB/s", "ms, median", "ms, p99", "failed");
  std::string json;
  for (const Row& row : rows) {
    double rate = row.seconds > 0 ? toMegabytes(bytes) / row.seconds : 0;
    fmt::print("{:<22} {:>9.1f} {:>12.3f} {:>12.3f} {:>8}\n", row.pipeline->name, rate,
               row.p50 * 1e3, row.p99 * 1e3, row.failed);
    json += fmt::format(
        "{}\n    {{\"name\": \"{}\", \"what\": \"{}\", \"mbPerSecond\": {:.3f}, "
        "\"seconds\": {:.6f}, \"medianMs\": {:.4f}, \"p99Ms\": {:.4f}, \"failed\": {}}}",
        json.empty() ? "" : ",", row.pipeline->name, row.pipeline->what, rate, row.seconds,
        row.p50 * 1e3, row.p99 * 1e3, row.failed);
  }
  return fmt::format("\"modules\": {}, \"bytes\": {}, \"throughput\": [{}\n  ]", modules, bytes,
                     json);
}

/// The largest module of the corpus at 1, 2, 4, ... times its functions, up to `megabytes`.
std::vector<CorpusModule> growLargest(const std::vector<CorpusModule>& corpus, uint32_t megabytes) {
  auto largest = std::max_element(corpus.begin(), corpus.end(), [](const auto& a, const auto& b) {
    return a.bytes() < b.bytes();
  });
  std::vector<CorpusModule> grown;
  for (uint32_t copies = 1; copies * toMegabytes(largest->bytes()) < 1.1 * megabytes; copies *= 2) {
    auto module = growModule(*largest, copies);
    if (!module) {
      fmt::print(stderr, "lanewise_bench: {}\n", module.error().str());
      break;
    }
    grown.push_back(std::move(*module));
  }
  return grown;
}

/// Milliseconds a megabyte for each module by itself, in each of Lanewise's own rows. Flat columns
/// mean linear time.
std::string reportLinearity(const std::vector<CorpusModule>& modules, uint32_t repeats) {
  std::vector<const Pipeline*> own;
  for (const Pipeline& pipeline : allPipelines())
    if (pipeline.name.starts_with("lanewise")) own.push_back(&pipeline);

  fmt::print("\nms a MB, by size\n{:>9}", "MB");
  for (const Pipeline* pipeline : own) fmt::print(" {:>20}", pipeline->name);
  fmt::print("  module\n");
  std::string json;
  for (const CorpusModule& module : modules) {
    fmt::print("{:>9.2f}", toMegabytes(module.bytes()));
    json += fmt::format("{}\n    {{\"bytes\": {}", json.empty() ? "" : ",", module.bytes());
    for (const Pipeline* pipeline : own) {
      Times times = measure(*pipeline, {module}, std::min(repeats, 3u));
      double cost = times[0] ? *times[0] * 1e3 / toMegabytes(module.bytes()) : 0;
      fmt::print(" {:>20.2f}", cost);
      std::fflush(stdout);
      json += fmt::format(", \"{}\": {:.4f}", pipeline->name, cost);
    }
    fmt::print("  {}\n", module.name);
    json += "}";
  }
  return fmt::format("\"msPerMegabyte\": [{}\n  ]", json);
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parseArguments(argc, argv, options)) {
    fmt::print(stderr, "{}", kUsage);
    return 1;
  }
  auto corpus = readCorpus(options.inputs);
  if (!corpus) {
    fmt::print(stderr, "lanewise_bench: {}\n", corpus.error().str());
    return 1;
  }
  std::string json = reportThroughput(*corpus, options);

  std::vector<CorpusModule> large;
  if (options.growToMegabytes > 0) large = growLargest(*corpus, options.growToMegabytes);
  if (!options.bigInputs.empty()) {
    auto big = readCorpus(options.bigInputs);
    if (!big) {
      fmt::print(stderr, "lanewise_bench: {}\n", big.error().str());
      return 1;
    }
    std::move(big->begin(), big->end(), std::back_inserter(large));
  }
  if (!large.empty()) json += ",\n  " + reportLinearity(large, options.repeats);

  if (!options.jsonFile.empty()) {
    std::ofstream file(options.jsonFile);
    file << "{\n  " << json << "\n}\n";
    file.close();
    if (!file) {
      fmt::print(stderr, "lanewise_bench: cannot write {}\n", options.jsonFile);
      return 1;
    }
  }
  return 0;
}
