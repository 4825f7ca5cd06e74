// Values of constants and specialization constants. Exact: a value is given only where the
// specification defines it (not for a division by zero, nor for a shift by the width or more).
#pragma once

#include "analysis/module/analyses.h"
#include "ir/integer_semantics.h"
#include "ir/module.h"
#include "lanewise/assumptions.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace lanewise {

/// A scalar integer or Boolean constant.
struct ConstantValue {
  uint64_t bits = 0;  ///< zero-extended from `width`
  uint32_t width = 0; ///< bits of the type; 1 for Boolean
  bool isSigned = false;
  /// True when the value holds for every use of the module: no specialization constant is involved.
  bool isLiteral = true;

  int64_t asSigned() const { return signedOf(bits, width); }
  bool operator==(const ConstantValue&) const = default;
};

class Constants {
public:
  static constexpr std::string_view kAnalysisName = "Constants";

  /// Evaluates OpConstant, OpConstantTrue/False/Null, OpSpecConstant*, and OpSpecConstantOp over
  /// integers and Booleans, of scalars and vectors. A specialization constant has the assumed
  /// value, else its default.
  explicit Constants(Analyses& analyses);

  /// Value of a scalar integer or Boolean constant id; nothing for any other id.
  std::optional<ConstantValue> value(Id id) const {
    if (id.value >= index_.size() || index_[id.value] == 0 || index_[id.value] >= kVector)
      return std::nullopt;
    return values_[index_[id.value] - 1];
  }
  /// Only when it holds for every specialization.
  std::optional<uint64_t> literal(Id id) const {
    auto v = value(id);
    return v && v->isLiteral ? std::optional(v->bits) : std::nullopt;
  }
  /// Value of component `n` of a constant vector of integers or Booleans; nothing for any other id,
  /// or when that component has no value.
  std::optional<ConstantValue> component(Id vector, uint32_t n) const;
  /// Value of a constant, or of an instruction in a function that computes with nothing but
  /// constants (which SPIRV-Tools leaves alone where a specialization constant is involved). Looks
  /// a few instructions deep.
  std::optional<ConstantValue> folded(const Module& module, Id id) const;
  /// True when a specialization constant that `id` depends on was left at its default, not given by
  /// the Assumptions: the value says little of how the module is used. For a vector, of any
  /// component. False for ids without a value.
  bool isUnassumedSpec(Id id) const;
  /// The same for one component of a vector.
  bool isUnassumedSpec(Id vector, uint32_t n) const;

  bool operator==(const Constants&) const = default;

private:
  friend class ConstantEvaluator;
  static constexpr uint32_t kVector = 0x80000000; ///< in index_: a vector

  std::span<const uint32_t> components(Id vector) const;

  /// By Id: index + 1 into values_; or kVector + index into vectors_; or 0 for no value.
  std::vector<uint32_t> index_;
  std::vector<ConstantValue> values_;
  std::vector<bool> unassumed_; ///< by index into values_
  /// Each vector: the number of its components, then for each one its index + 1 into values_, or 0.
  std::vector<uint32_t> vectors_;
};

} // namespace lanewise
