// What is measured: each pipeline takes a module's words and gives words back, in this process, on
// one core.
#pragma once

#include "corpus.h"

#include <span>
#include <string_view>

namespace lanewise::bench {

struct Pipeline {
  std::string_view name;
  std::string_view what;
  /// False when the module could not be processed. May crash: see measure.h.
  bool (*run)(const Words& input, Words& output);
  /// Slow enough that one run over the corpus must do.
  bool slow = false;
};

/// In the order of the printed table.
std::span<const Pipeline> allPipelines();

} // namespace lanewise::bench
