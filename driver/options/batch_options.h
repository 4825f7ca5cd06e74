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
  CacheOptions cache;                ///< --cache, --cache-size
  std::string json;                  ///< --json; "" when not given
  std::string root;                  ///< --root; "" for the current folder
  std::string baseline;              ///< --baseline; "" when not given
  std::optional<double> failIfWorse; ///< --fail-if-worse, percent
  std::vector<std::string> exclude;  ///< --exclude
};

void declareBatch(CommandLine& line, OptOptions& options, BatchOptions& batch);

/// What of the options an input's result depends on (RunKey::flags).
std::vector<std::string> keyOf(const CommandLine& line, const OptOptions& options);

} // namespace lanewise::driver
