// Times pipelines over modules, in child processes, because a pipeline may crash on a module.
#pragma once

#include "pipelines.h"

#include <optional>
#include <vector>

namespace lanewise::bench {

/// Seconds for each module, the least of `repeats` runs; nothing where the pipeline failed or
/// crashed.
using Times = std::vector<std::optional<double>>;

/// Each repeat walks the whole corpus, so that no module is measured hot from its own last run.
/// Each call uses one child process, and a further one for each crash.
Times measure(const Pipeline& pipeline, const std::vector<CorpusModule>& corpus, uint32_t repeats);

} // namespace lanewise::bench
