// Names for ids in the form that spirv-dis gives them: from OpName, from built-ins, and for types
// and constants from what they are ("v4float", "uint_16"). Everything else keeps its number.
#pragma once

#include "ir/module.h"

#include <string>
#include <unordered_set>
#include <vector>

namespace lanewise {

class FriendlyNames {
public:
  explicit FriendlyNames(const Module& module);

  /// Without '%'.
  std::string of(uint32_t id) const;

private:
  void visit(const Module& module, InstRef i);
  void nameType(const Module& module, InstRef i, uint32_t id);
  void nameBuiltIn(uint32_t id, uint32_t builtIn);
  void nameConstant(const Module& module, InstRef i, uint32_t id);
  /// The first name of an id is the one; others that would be the same get a number.
  void name(uint32_t id, const std::string& wanted);

  std::vector<std::string> names_; ///< by id; empty: none
  std::unordered_set<std::string> used_;
};

} // namespace lanewise
