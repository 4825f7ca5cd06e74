// Remarks as text for people and JSON for programs (docs/command-line.md, "Remarks").
#pragma once

#include "lanewise/remarks.h"
#include "verify/compare/source_texts.h"

#include <cstdint>
#include <string>

namespace lanewise::driver {

/// "FILE". `input` stands for it where the module has no lines; so it does in all of the following.
std::string fileText(const SourceLocation& at, const std::string& input);
/// "FILE:LINE:COLUMN", as far as it is known.
std::string placeText(const SourceLocation& at, const std::string& input);

/// "FILE:LINE:COLUMN: KIND: MESSAGE [PASS:NAME]" and, if wanted, indented details. With `texts`,
/// which knows the source, the line follows, cut at `columns` (0: never), and the notes with
/// theirs. `times`: how many there are of the very same text, said where there is another.
enum class RemarkDetails : bool { No, Yes };
std::string remarkAsText(const Remark& remark, const std::string& input,
                         RemarkDetails details = RemarkDetails::Yes, SourceTexts* texts = nullptr,
                         uint32_t columns = 0, uint32_t times = 1);

/// "INPUT: 11 rewrites not made (7 PASS, 4 PASS); --remarks=missed says why", a line; "" where none
/// was missed.
std::string missedAsText(const Remarks& remarks, const std::string& input);

/// One JSON object on one line, with a newline.
std::string remarkAsJson(const Remark& remark, const std::string& input);

} // namespace lanewise::driver
