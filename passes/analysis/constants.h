// Values of constants and specialization constants.
#pragma once

#include "analysis/assumptions.h"
#include "ir/module.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace lanewise {

/// A scalar integer or Boolean constant.
struct ConstantValue {
  uint64_t bits = 0;  ///< zero-extended from `width`
  uint32_t width = 0; ///< bits of the type; 1 for Boolean
  bool isSigned = false;
  /// True when the value holds for every use of the module: no specialization constant is involved.
  bool isLiteral = true;

  int64_t asSigned() const {
    return width >= 64 ? int64_t(bits) : int64_t(bits << (64 - width)) >> (64 - width);
  }
  bool operator==(const ConstantValue&) const = default;
};

class Constants {
public:
  /// Evaluates OpConstant, OpConstantTrue/False/Null, OpSpecConstant*, and OpSpecConstantOp over integers.
  /// A specialization constant has the assumed value, else its default.
  Constants(const Module& module, const Assumptions& assumptions);

  /// Value of a scalar integer or Boolean constant id; nothing for any other id.
  std::optional<ConstantValue> value(Id id) const {
    if (id.value >= index_.size() || index_[id.value] == 0) return std::nullopt;
    return values_[index_[id.value] - 1];
  }
  /// Only when it holds for every specialization.
  std::optional<uint64_t> literal(Id id) const {
    auto v = value(id);
    return v && v->isLiteral ? std::optional(v->bits) : std::nullopt;
  }
  /// True when a specialization constant that `id` depends on was left at its default, not given by the
  /// Assumptions: the value says little of how the module is used.
  bool isUnassumedSpec(Id id) const;

  bool operator==(const Constants&) const = default;

private:
  std::vector<uint32_t> index_; ///< by Id: index + 1 into values_
  std::vector<ConstantValue> values_;
  std::vector<bool> unassumed_; ///< by index into values_
};

} // namespace lanewise
