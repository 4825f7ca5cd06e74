// Who uses an id. Exact for modules without unknown instructions; with them conservative (may list
// uses that are none).
#pragma once

#include "ir/module.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace lanewise {

/// One operand: word `word` of instruction `user`.
struct Use {
  InstRef user;
  uint32_t word;
  bool operator==(const Use&) const = default;
};

class DefUse {
public:
  static constexpr std::string_view kAnalysisName = "DefUse";

  explicit DefUse(const Module& module);
  /// Uses of `id` in module order, debug names and decorations included. Result types count as
  /// uses. None for an id that the module did not have when this was computed.
  std::span<const Use> uses(Id id) const {
    if (size_t(id.value) + 1 >= start_.size()) return {};
    return {uses_.data() + start_[id.value], uses_.data() + start_[id.value + 1]};
  }
  bool operator==(const DefUse&) const = default;

private:
  std::vector<uint32_t> start_; ///< by Id, into uses_
  std::vector<Use> uses_;
};

} // namespace lanewise
