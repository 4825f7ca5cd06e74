// What an instruction comes to.
#pragma once

#include "canonical/numbering/value_table.h"

#include <optional>
#include <span>

namespace lanewise {

/// Either a value that stands for the result, or the same result computed otherwise, or neither.
struct Simplified {
  Id value;
  std::optional<Inst> inst;
  explicit operator bool() const { return value || inst; }
};

/// How the module lets floating point be evaluated before it runs.
struct FloatRules {
  /// No execution mode says how to round, or what becomes of denormals, infinities, NaN and the
  /// sign of zero (SPV_KHR_float_controls), so that what the host computes is one of the results
  /// that a device may give.
  bool mayEvaluate = false;
};
FloatRules floatRulesOf(const Module& module);

/// All words of an instruction with a result and a type, operands resolved; not those of a phi.
/// Every result is exact: bit for bit what the instruction gives wherever it is defined, the sign
/// of zero included; of what may be NaN only the payload may differ.
Simplified simplify(const ValueTable& values, const FloatRules& floats,
                    std::span<const uint32_t> words);

// Parts of it, by what the instruction works on.
Simplified foldConstants(const ValueTable& values, std::span<const uint32_t> words);
Simplified foldFloats(const ValueTable& values, const FloatRules& floats,
                      std::span<const uint32_t> words);
Simplified simplifyInteger(const ValueTable& values, std::span<const uint32_t> words);
Simplified simplifyFloat(const ValueTable& values, const FloatRules& floats,
                         std::span<const uint32_t> words);
Simplified simplifyLogic(const ValueTable& values, std::span<const uint32_t> words);
Simplified simplifyComposite(const ValueTable& values, std::span<const uint32_t> words);
Simplified simplifyPointer(const ValueTable& values, std::span<const uint32_t> words);

// For all parts.
/// True when the two operands may change places: the result is the same.
bool isCommutative(spv::Op op);
inline spv::Op opcodeOf(std::span<const uint32_t> words) {
  return spv::Op(words[0] & 0xFFFF);
}
/// The same result by another instruction.
inline Inst sameResult(spv::Op op, std::span<const uint32_t> words) {
  return Inst(op).word(words[1]).word(words[2]);
}
/// A constant of a scalar or vector type with the same bits in every component.
Id splatOf(const ValueTable& values, Id type, uint64_t bits);

} // namespace lanewise
