// What a verification found, as sections of the page.
#pragma once

#include "verify/verify.h"

#include <string>

namespace lanewise::driver {

/// Outputs compared, times, interpreter, pipeline statistics, notes; those that have something to
/// say.
std::string verificationSections(const VerifyReport& report);

/// "2.1× as fast" of one program; empty where nothing was timed.
std::string speedText(const TimingResult& timing);

} // namespace lanewise::driver
