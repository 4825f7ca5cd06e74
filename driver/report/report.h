// What a verification found, as text for people and as JSON for programs.
#pragma once

#include "verify/verify.h"

#include <string>
#include <string_view>

namespace lanewise::driver {

/// Text for people and JSON for programs.
std::string formatReport(const VerifyReport& report);
std::string reportToJson(const VerifyReport& report);

/// How one module of several stands, as a line of JSON beside remarks: an object of the kind
/// "verification". `report` is null where there was nothing to compare, `reason` "" where there is
/// none.
std::string verificationAsJson(const std::string& input, std::string_view state,
                               const std::string& reason, const VerifyReport* report);

} // namespace lanewise::driver
