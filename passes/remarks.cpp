#include "lanewise/remarks.h"

#include "text/format_text.h"

namespace lanewise {

std::string RemarkRow::text() const {
  return (subject.empty() ? "" : subject + ": ") + joinText(cells, ", ");
}

} // namespace lanewise
