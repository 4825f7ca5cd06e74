#include "tuning/candidate.h"

#include <fmt/format.h>

namespace lanewise::driver {

Candidate standardCandidate() {
  return {{"-O"}, {}, false, {}};
}

std::string Candidate::flags() const {
  std::string text;
  for (const std::string& flag : passes) text += (text.empty() ? "" : " ") + flag;
  for (const std::string& site : skip) text += " --skip=" + site;
  return text;
}

std::string Candidate::name() const {
  std::string text = flags();
  if (text.empty()) text = "as it is";
  if (freezes) text += ", constants fixed";
  for (const auto& [parameter, value] : values) text += fmt::format(", {} = {}", parameter, value);
  if (subgroupSize != 0) text += fmt::format(", subgroups of {}", subgroupSize);
  return text;
}

size_t Candidate::complexity() const {
  // What the host must follow is more than any number of flags.
  constexpr size_t kHost = 100;
  const size_t forHost = (freezes ? kHost : 0) + (values.empty() ? 0 : kHost + values.size()) +
                         (subgroupSize != 0 ? kHost : 0);
  return forHost + passes.size() + skip.size();
}

} // namespace lanewise::driver
