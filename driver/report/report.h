// What a verification found, as text for people and as JSON for programs.
#pragma once

#include "verify/verify.h"

#include <string>

namespace lanewise::driver {

/// Text for people and JSON for programs.
std::string formatReport(const VerifyReport& report);
std::string reportToJson(const VerifyReport& report);

} // namespace lanewise::driver
