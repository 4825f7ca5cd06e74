// Internal to the assembler: which number each id of a text has.
#pragma once

#include "assembly/tokens.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace lanewise::detail {

class AssemblerIds {
public:
  /// Looks for the ids that are numbers: no name gets one of those.
  explicit AssemblerIds(std::string_view text);

  /// The number behind "%name"; nothing where that is no id.
  std::optional<uint32_t> of(std::string_view token);
  /// Above every id so far.
  uint32_t bound() const { return bound_; }

private:
  std::set<uint32_t> numbers_;
  std::map<std::string, uint32_t, std::less<>> names_;
  uint32_t next_ = 1;
  uint32_t bound_ = 1;
};

} // namespace lanewise::detail
