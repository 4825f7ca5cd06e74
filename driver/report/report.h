// What a verification found, as text for people and as JSON for programs.
#pragma once

#include "verify/compare/source_texts.h"
#include "verify/verify.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace lanewise::driver {

/// Text for people and JSON for programs. With `texts`, which knows the source, findings name their
/// places in it, lines cut at `columns` (0: never).
std::string formatReport(const VerifyReport& report, SourceTexts* texts = nullptr,
                         uint32_t columns = 0);
std::string reportToJson(const VerifyReport& report);

/// How one module of several stands, as a line of JSON beside remarks: an object of the kind
/// "verification". `report` is null where there was nothing to compare, `reason` "" where there is
/// none.
std::string verificationAsJson(const std::string& input, std::string_view state,
                               const std::string& reason, const VerifyReport* report);

} // namespace lanewise::driver
