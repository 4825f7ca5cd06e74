#include "lanewise/result.h"

#include <fmt/format.h>

namespace lanewise {

std::string Error::str() const {
  std::string where;
  auto add = [&](const std::string& part) { where += (where.empty() ? "" : ", ") + part; };
  if (wordOffset) add(fmt::format("word {}", *wordOffset));
  if (id != 0) add(fmt::format("id %{}", id));
  if (!pass.empty()) add("pass " + pass);
  return where.empty() ? message : fmt::format("{} ({})", message, where);
}

} // namespace lanewise
