// What a verification found, as sections of the page.
#pragma once

#include "verify/verify.h"

#include <string>

namespace lanewise::driver {

/// What was compared, and each difference.
std::string outputsSection(const VerifyReport& report);
/// Times, interpreter, coverage, pipeline statistics, notes; those that have something to say.
/// Findings with a line stand in the listing of the source (source_listing.h).
std::string verificationSections(const VerifyReport& report);

/// "2.1× as fast" of one program; empty where nothing was timed.
std::string speedText(const TimingResult& timing);

} // namespace lanewise::driver
