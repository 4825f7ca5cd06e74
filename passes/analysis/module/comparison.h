// Integer comparisons as relations that can be turned round.
#pragma once

#include "ir/opcode_facts.h"

#include <cstdint>
#include <optional>

namespace lanewise {

enum class Relation : uint8_t { Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual };

struct Comparison {
  Relation relation;
  bool isSigned; ///< false for Equal and NotEqual, where it makes no difference
};

/// What an integer comparison compares; nothing for any other opcode.
std::optional<Comparison> comparisonOf(spv::Op op);
/// The relation with its operands exchanged.
Relation mirrored(Relation r);
/// The relation that holds just when `r` does not.
Relation negated(Relation r);

/// How often `x relation bound` holds before it fails for the first time, for x = start, start +
/// step, ... modulo 2^32. Nothing when it never fails, or only after x went more than once round
/// 2^32. `step` is not 0.
std::optional<uint64_t> countWhile(Comparison c, uint32_t start, int64_t step, uint32_t bound);

} // namespace lanewise
