// What `lanewise run` says of a program: as a table, and as JSON (docs/run.md).
#pragma once

#include "run/run_data.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace lanewise::driver {

/// A line for each pipeline that was dispatched, the dearest first, and notes below.
std::string runAsText(const RunData& data);
/// How many pipelines were made of optimized modules, in a line.
std::string optimizedAsText(const RunData& data);
nlohmann::ordered_json runAsJson(const RunData& data);

} // namespace lanewise::driver
