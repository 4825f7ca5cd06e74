// What ran when on which queue, drawn.
#pragma once

#include "verify/queue_timing.h"

#include <string>

namespace lanewise::driver {

/// A row for each queue with a bar for each command, on one axis of time; bars of the critical path
/// stand out, and each says its name and times when pointed at. Below, the figures.
std::string queuePlot(const QueueTiming& timing);

} // namespace lanewise::driver
