// What ran when on which queue, as text and JSON.
#pragma once

#include "verify/queue_timing.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lanewise::driver {

/// The figures, one sentence a line.
std::vector<std::string> linesOf(const QueueTiming& timing);
/// One object, with every command.
nlohmann::ordered_json toJson(const QueueTiming& timing);

} // namespace lanewise::driver
