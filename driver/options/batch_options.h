// The options of `lanewise batch` beside those of `opt`, declared and checked.
#pragma once

#include "batch/cache/store.h"
#include "options/command_line.h"
#include "pipeline/optimize_options.h"

#include <cstdint>
#include <optional>
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

void declareBatch(CommandLine& line, OptOptions& options, BatchOptions& batch);

/// What of the options an input's result depends on (RunKey::flags).
std::vector<std::string> keyOf(const CommandLine& line, const OptOptions& options);

/// "500M", "5G", "0": bytes, with K, M, G or T for powers of 1024.
std::optional<uint64_t> parseSize(const std::string& text);

} // namespace lanewise::driver
