// Remarks as text for people and JSON for programs (docs/command-line.md, "Remarks").
#pragma once

#include "lanewise/remarks.h"

#include <string>

namespace lanewise::driver {

/// "FILE:LINE:COLUMN: KIND: MESSAGE [PASS:NAME]" and indented details. `input` stands for the file
/// where the module has no lines.
std::string remarkAsText(const Remark& remark, const std::string& input);

/// One JSON object on one line, with a newline.
std::string remarkAsJson(const Remark& remark, const std::string& input);

} // namespace lanewise::driver
