// Distributions of timing samples, drawn.
#pragma once

#include "verify/verify.h"

#include <string>

namespace lanewise::driver {

/// For the original and each program that was timed beside it a strip: a circle of class `pt` for
/// each sample, from the top down in the order of the rounds, a box from the first to the third
/// quartile and a line at the median; below, the same for the paired ratios with their interval.
/// Empty where nothing was timed. At most kMostPoints evenly chosen samples are drawn of each.
///
/// Places are percentages and text is HTML or unscaled: the plots are as wide as the page, and as
/// readable on a phone.
std::string timingPlots(const VerifyReport& report);

constexpr size_t kMostPoints = 500;

} // namespace lanewise::driver
