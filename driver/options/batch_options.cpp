#include "options/batch_options.h"

#include "options/opt_options.h"
#include "options/option_groups.h"
#include "support/failure.h"
#include "support/files.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <thread>

namespace lanewise::driver {

namespace {

constexpr uint32_t kMaxJobs = 1024;

Status checkCache(BatchOptions& batch, const std::string& size) {
  if (!size.empty()) {
    const std::optional<uint64_t> bytes = parseSize(size);
    if (!bytes)
      return failure(
          fmt::format("--cache-size={} must be a number of bytes, or one with K, M, G or "
                      "T behind it; 0 for no limit",
                      size));
    batch.cacheBytes = *bytes;
    if (batch.cache.empty()) return failure("--cache-size needs --cache=FOLDER");
  }
  if (batch.cache.empty()) return ok();
  if (isRedisAddress(batch.cache)) {
    Result<RedisAddress> address = parseRedisAddress(batch.cache);
    if (!address) return address.error();
    if (!hasRedis())
      return failure("--cache: this program was built without hiredis, and so without Redis");
    if (!size.empty())
      return failure("--cache-size is for folders; a Redis server has its own limit (maxmemory and "
                     "maxmemory-policy allkeys-lru in redis.conf)");
    batch.redis = std::move(*address);
    return ok();
  }
  if (batch.cache.find("://") != std::string::npos)
    return failure(fmt::format("--cache={}: it is a folder, redis://HOST[:PORT][/DATABASE] or "
                               "unix:///SOCKET",
                               batch.cache));
  std::error_code ignored;
  if (std::filesystem::exists(batch.cache, ignored) && !isFolder(batch.cache))
    return failure(fmt::format("--cache={}: not a folder", batch.cache));
  return ok();
}

/// -o must be given, and what speaks of one output is refused.
Status checkFolders(const OptOptions& o, const BatchOptions& batch) {
  if (Status s = checkLayouts(o); !s) return s;
  if (o.html == "-") return failure("--html needs a file");
  if (o.inputs.size() != 1 || o.inputs.front().empty())
    return failure(fmt::format(
        "{} input; give one: a folder, a file with one path a line, or - for such a list",
        o.inputs.empty() ? "no" : "more than one"));
  if (o.output.empty() || o.output == "-") return failure("no output; give -o FOLDER");
  if (!o.depfile.path.empty() || !o.depfile.target.empty())
    return failure("-MF and -MT name a single depfile; leave them out: each output gets OUT.d");
  if (!o.layoutManifest.empty())
    return failure("--layout-manifest names one file, for one program; use 'lanewise opt'");
  if (!batch.root.empty() && isFolder(o.inputs.front()))
    return failure("--root is for lists; outputs of a folder keep their paths relative to it");
  return ok();
}

} // namespace

std::optional<uint64_t> parseSize(const std::string& text) {
  uint64_t number = 0;
  const char* end = text.data() + text.size();
  auto [next, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc()) return {};
  if (next == end) return number;
  const size_t unit = std::string_view("KMGT").find(char(std::toupper(uint8_t(*next))));
  if (next + 1 != end || unit == std::string_view::npos) return {};
  const uint32_t shift = 10 * (uint32_t(unit) + 1);
  if (number > UINT64_MAX >> shift) return {};
  return number << shift;
}

void declareBatch(CommandLine& line, OptOptions& o, BatchOptions& batch) {
  line.about("Optimizes all shaders of a folder or a list, as `lanewise opt` does each.");
  line.example("Optimize all shaders of a folder, and do again only what changed.",
               "lanewise batch -O shaders -o optimized --cache=cache");
  line.example("The same for a list, with a summary.",
               "lanewise batch -O list.txt -o optimized --json=summary.json");
  line.group("Input and output");
  line.positionals("INPUT", "FOLDER|FILE", o.inputs,
                   "a folder, a file with one path a line, or - for such a list");
  line.value("-o,--output", "FOLDER", o.output,
             "folder for the outputs, which keep their relative paths")
      .output();
  line.group("Batch");
  line.value("-j,--jobs", "N", batch.jobs, "worker processes (default: one per core)").place();
  line.value("--cache", "FOLDER", batch.cache,
             "folder, redis://[:PASSWORD@]HOST[:PORT][/DATABASE] or unix:///SOCKET")
      .place();
  const auto size = std::make_shared<std::string>(); // lives as long as the check below
  line.value("--cache-size", "BYTES", *size,
             "size limit of a cache folder: 500M, 5G (default), 0 for none")
      .place();
  line.value("--json", "FILE.json", batch.json,
             "write a summary: the result for each input, and why")
      .output();
  line.value("--root", "FOLDER", batch.root,
             "with a list: the folder that output paths are relative to (default: the current one)")
      .notInKey();
  line.each("--exclude", "GLOB", batch.exclude, "leave out inputs or folders whose path matches")
      .notInKey();
  declareOptimization(line, o);
  line.check([&line, &o, &batch, size]() -> Status {
    if (Status s = checkFolders(o, batch); !s) return s;
    if (!line.isGiven("--jobs"))
      batch.jobs = std::clamp(std::thread::hardware_concurrency(), 1u, kMaxJobs);
    if (batch.jobs < 1 || batch.jobs > kMaxJobs)
      return failure(fmt::format("-j must be a number from 1 to {}", kMaxJobs));
    // Remarks on thousands of shaders are for files, or for those who ask; warnings are for all.
    if (o.remarks == RemarkFilter::Summary) o.remarks = RemarkFilter::Warnings;
    return checkCache(batch, *size);
  });
}

std::vector<std::string> keyOf(const CommandLine& line, const OptOptions& options) {
  std::vector<std::string> key = line.key();
  for (const PipelineStep& step : options.steps)
    key.insert(key.end(), {step.keepInterface ? "pass of -O" : "pass", step.flag});
  return key;
}

} // namespace lanewise::driver
