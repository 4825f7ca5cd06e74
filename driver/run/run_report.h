// What `lanewise run` says of a program: as a table, and as JSON (docs/run.md).
#pragma once

#include "report/html/report.h"
#include "run/run_data.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace lanewise::driver {

/// A line for each pipeline that was dispatched, the dearest first, and notes below.
std::string runAsText(const RunData& data);
/// What its marks mean, and what is not in it.
std::string notesOf(const RunData& data);
/// The same as a page that needs nothing else. `command` is what ran.
std::string runAsHtml(const RunData& data, const std::string& command,
                      const std::vector<ReportFact>& facts);
/// How many pipelines were made of optimized modules, in a line.
std::string optimizedAsText(const RunData& data);
nlohmann::ordered_json runAsJson(const RunData& data);

} // namespace lanewise::driver
