// Which types have values that phis may choose between.
#pragma once

#include "ir/module.h"

#include <cstdint>
#include <vector>

namespace lanewise {

class ValueTypes {
public:
  explicit ValueTypes(const Module& module) : module_(module) {}

  /// False for opaque values, for logical pointers that may not vary (SPIR-V 2.16.1), for what
  /// holds one of these, and for types that are not known.
  bool canBeInPhi(Id type) { return kindOf(type) >= Kind::Pointer; }
  /// The same, and nobody minds if it was never written: no pointers.
  bool canBeUndefined(Id type) { return kindOf(type) == Kind::Data; }

private:
  enum class Kind : uint8_t { NotKnown, Fixed, Pointer, Data }; ///< ordered
  Kind kindOf(Id type);
  Kind kindOfOne(InstRef def) const;

  const Module& module_;
  std::vector<Kind> kinds_; ///< by Id
  std::vector<Id> stack_;
};

} // namespace lanewise
