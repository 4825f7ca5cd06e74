// The options of `lanewise batch` beside those of `opt`, parsed and checked.
#pragma once

#include "batch/cache/store.h"
#include "lanewise/result.h"
#include "options/command_description.h"
#include "options/opt_options.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lanewise::driver {

struct BatchOptions {
  uint32_t jobs = 0;                 ///< -j; 0 while it is not known: as many as there are cores
  std::string cache;                 ///< --cache; "" when not given
  std::optional<RedisAddress> redis; ///< where `cache` names a server
  uint64_t cacheBytes = uint64_t(5) << 30; ///< --cache-size; 0 for no limit
  std::string json;                        ///< --json; "" when not given
  std::string root;                        ///< --root; "" for the current folder
  std::vector<std::string> exclude;        ///< --exclude
  bool isFolderCache() const { return !cache.empty() && !redis; }
};

struct ParsedBatch {
  OptOptions options;
  BatchOptions batch;
  std::vector<std::string> given; ///< ParsedOptions::given
  std::string help;               ///< not empty: to be printed, and the rest means nothing
};
Result<ParsedBatch> parseBatchOptions(std::span<char*> args);

/// "500M", "5G", "0": bytes, with K, M, G or T for powers of 1024.
std::optional<uint64_t> parseSize(const std::string& text);

std::vector<CommandDescription> describeBatch();

} // namespace lanewise::driver
