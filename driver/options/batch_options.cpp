#include "options/batch_options.h"

#include "support/files.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <thread>

namespace lanewise::driver {

namespace {

Error errorOf(std::string message) {
  return {std::move(message), {}, 0, {}};
}

constexpr uint32_t kMaxJobs = 1024;

Status checkCache(BatchOptions& batch, const std::string& size) {
  if (!size.empty()) {
    const std::optional<uint64_t> bytes = parseSize(size);
    if (!bytes)
      return errorOf(
          fmt::format("--cache-size={} must be a number of bytes, or one with K, M, G or "
                      "T behind it; 0 for no limit",
                      size));
    batch.cacheBytes = *bytes;
    if (batch.cache.empty()) return errorOf("--cache-size needs --cache=FOLDER");
  }
  if (batch.cache.empty()) return ok();
  if (isRedisAddress(batch.cache)) {
    Result<RedisAddress> address = parseRedisAddress(batch.cache);
    if (!address) return address.error();
    if (!hasRedis())
      return errorOf("--cache: this program was built without hiredis, and so without Redis");
    if (!size.empty())
      return errorOf("--cache-size is for folders; a Redis server has its own limit (maxmemory and "
                     "maxmemory-policy allkeys-lru in redis.conf)");
    batch.redis = std::move(*address);
    return ok();
  }
  if (batch.cache.find("://") != std::string::npos)
    return errorOf(fmt::format("--cache={}: it is a folder, redis://HOST[:PORT][/DATABASE] or "
                               "unix:///SOCKET",
                               batch.cache));
  std::error_code ignored;
  if (std::filesystem::exists(batch.cache, ignored) && !isFolder(batch.cache))
    return errorOf(fmt::format("--cache={}: not a folder", batch.cache));
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

namespace {

/// What is declared writes to these when it is parsed.
struct RawBatch {
  BatchOptions& batch;
  std::string size;
  bool hasJobs = false;
};

OptionsOfCommand optionsOfBatch(RawBatch& raw) {
  OptionsOfCommand command;
  command.command = "batch";
  command.description = "Optimizes all shaders of a folder or a list, as `lanewise opt` does each.";
  command.input = "a folder, a file with one path a line, or - for such a list";
  command.output = "folder for the outputs, which keep their relative paths";
  command.group = "Batch";
  command.declare = [&raw, group = command.group](CLI::App& app) {
    BatchOptions& batch = raw.batch;
    app.get_option("INPUT")->type_name("FOLDER|FILE");
    app.get_option("--output")->type_name("FOLDER");
    app.add_option("-j,--jobs", batch.jobs, "worker processes (default: one for each core)")
        ->type_name("N")
        ->each([&raw](const std::string&) { raw.hasJobs = true; })
        ->group(group);
    app.add_option("--cache", batch.cache,
                   "folder, redis://[:PASSWORD@]HOST[:PORT][/DATABASE] or unix:///SOCKET")
        ->type_name("FOLDER")
        ->group(group);
    app.add_option("--cache-size", raw.size,
                   "of a folder, at the end of a run: 500M, 5G (default), 0 for no limit")
        ->type_name("BYTES")
        ->group(group);
    app.add_option("--json", batch.json, "where a summary goes: what became of each input, and why")
        ->type_name("FILE.json")
        ->group(group);
    app.add_option("--root", batch.root,
                   "of a list: outputs keep the paths below it (default: the current folder)")
        ->type_name("FOLDER")
        ->group(group);
    app.add_option("--exclude", batch.exclude, "leave out inputs or folders whose path matches")
        ->type_name("GLOB")
        ->allow_extra_args(false)
        ->group(group);
  };
  return command;
}

} // namespace

std::vector<CommandDescription> describeBatch() {
  BatchOptions batch;
  RawBatch raw{batch, {}, false};
  const OptionsOfCommand command = optionsOfBatch(raw);
  return {describeOptionsOf(&command,
                            {{"Optimize all shaders of a folder, and do again only what changed.",
                              "lanewise batch -O shaders -o optimized --cache=cache"},
                             {"The same for a list, with a summary.",
                              "lanewise batch -O list.txt -o optimized --json=summary.json"}})};
}

Result<ParsedBatch> parseBatchOptions(std::span<char*> args) {
  ParsedBatch parsed;
  BatchOptions& batch = parsed.batch;
  RawBatch raw{batch, {}, false};
  const OptionsOfCommand command = optionsOfBatch(raw);
  Result<ParsedOptions> options = parseOptionsOf(command, args);
  if (!options) return options.error();
  if (!options->options) {
    parsed.help = std::move(options->help);
    return parsed;
  }
  parsed.options = std::move(*options->options);
  parsed.given = std::move(options->given);
  if (!raw.hasJobs) batch.jobs = std::clamp(std::thread::hardware_concurrency(), 1u, kMaxJobs);
  if (batch.jobs < 1 || batch.jobs > kMaxJobs)
    return errorOf(fmt::format("-j must be a number from 1 to {}", kMaxJobs));
  if (Status s = checkCache(batch, raw.size); !s) return s.error();
  if (!batch.root.empty() && isFolder(parsed.options.inputs.front()))
    return errorOf("--root is for lists; what a folder holds keeps its paths below it");
  // Remarks on thousands of shaders are for files, or for those who ask; warnings are for all.
  const bool asksForRemarks =
      !parsed.options.remarksFile.empty() ||
      std::find(parsed.given.begin(), parsed.given.end(), "--remarks") != parsed.given.end();
  if (!asksForRemarks) parsed.options.remarks = RemarkFormat::Warnings;
  return parsed;
}

} // namespace lanewise::driver
