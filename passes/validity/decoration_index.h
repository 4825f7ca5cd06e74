// The decorations of a module, by what they decorate, groups taken apart.
#pragma once

#include "ir/module.h"

#include <cstdint>
#include <span>
#include <vector>

namespace lanewise::validity {

class DecorationIndex {
public:
  static constexpr uint32_t kWhole = UINT32_MAX; ///< member of a decoration of the whole

  struct Entry {
    Id target;
    uint32_t member;
    spv::Decoration decoration;
    uint32_t value; ///< first operand, 0 without one
    InstRef at;
    bool ofGroup; ///< came by way of a group
  };

  explicit DecorationIndex(const Module& module);

  /// False when groups would multiply to far more than the module holds; then some are left out.
  bool isComplete() const { return complete_; }
  /// All entries, by target, member and decoration.
  std::span<const Entry> entries() const { return entries_; }
  /// Null if the target (or member) is not so decorated.
  const Entry* find(Id target, spv::Decoration decoration, uint32_t member = kWhole) const;
  bool has(Id target, spv::Decoration decoration, uint32_t member = kWhole) const {
    return find(target, decoration, member) != nullptr;
  }

private:
  void expandGroups(const Module& module);

  std::vector<Entry> entries_;
  bool complete_ = true;
};

} // namespace lanewise::validity
