#include "lanewise/result.h"

#include "text/format_text.h"

namespace lanewise {

std::string Error::str() const {
  std::string where;
  auto add = [&](const std::string& part) { where += (where.empty() ? "" : ", ") + part; };
  if (wordOffset) add(formatText("word {}", *wordOffset));
  if (id != 0) add(formatText("id %{}", id));
  if (!pass.empty()) add("pass " + pass);
  return where.empty() ? message : formatText("{} ({})", message, where);
}

} // namespace lanewise
