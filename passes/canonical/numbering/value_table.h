// What defines each value, as a pass has changed it so far: the module's instruction, what the pass
// rewrote it to, or a constant that the pass made.
#pragma once

#include "analysis/module/analyses.h"
#include "analysis/module/types.h"
#include "ir/rewriter.h"
#include "transforms/constant_pool.h"
#include "transforms/value_edits.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lanewise {

/// Ids that it takes may have been replaced; ids that it hands out have not.
class ValueTable {
public:
  ValueTable(Analyses& analyses, const ValueEdits& edits, ConstantPool& constants);

  const Module& module() const { return module_; }
  const Types& types() const { return types_; }
  ConstantPool& constants() const { return constants_; }
  Id resolved(Id id) const { return edits_.resolved(id); }

  /// The words that define `id` now, empty for an id that nothing defines. Their operands may have
  /// been replaced: operand() and operands() look that up.
  std::span<const uint32_t> inst(Id id) const {
    id = resolved(id);
    const InstRef def = module_.def(id);
    if (!def) return constants_.made(id);
    const auto now = rewritten(def);
    return now.empty() ? module_.inst(def) : now;
  }
  spv::Op opcode(Id id) const {
    const auto words = inst(id);
    return words.empty() ? spv::Op::OpNop : spv::Op(words[0] & 0xFFFF);
  }
  /// Type of a value, null where it has none.
  Id typeOf(Id id) const {
    const auto words = inst(id);
    if (words.empty() || !factsOf(spv::Op(words[0] & 0xFFFF)).hasResultType) return {};
    return Id(words[1]);
  }
  /// Word `n` of what defines `id`, an id operand.
  Id operand(Id id, uint32_t n) const { return resolved(Id(inst(id)[n])); }

  /// Whether a single instruction of a function uses the value, as the module stands.
  bool isUsedOnce(Id id) const;

  /// The instruction is going to be this one.
  void rewrite(InstRef inst, Inst words);
  /// What it is going to be, empty where it stays.
  std::span<const uint32_t> rewritten(InstRef inst) const {
    const uint32_t at = rewrittenAt_[inst.value];
    if (at == 0) return {};
    return std::span(pool_).subspan(at - 1, pool_[at - 1] >> 16);
  }

  /// Bits of a literal scalar (OpConstant of up to 64 bits, a Boolean, or the null of a scalar
  /// type), zero-extended; nothing for anything else, specialization constants among it.
  std::optional<uint64_t> literal(Id id) const { return literalOf(inst(id)); }
  /// The literal in every component of a scalar or vector, if they are all the same.
  std::optional<uint64_t> splat(Id id) const;
  /// Component `n` of a constant vector that is no specialization constant; null for anything else.
  Id constantComponent(Id vector, uint32_t n) const;
  /// True for a literal, and a composite or null of them.
  bool isConstant(Id id) const;
  /// Bits of a scalar of the type, or of each component of a vector: 1 for Booleans, 0 where that
  /// is no number of up to 64 bits, or one of which the module may not form constants.
  uint32_t widthOf(Id type) const;
  /// Type of the components of a vector, the type itself where it is none.
  Id scalarOf(Id type) const;

private:
  std::optional<uint64_t> literalOf(std::span<const uint32_t> words) const;
  void countUses() const;

  const Module& module_;
  const Types& types_;
  const ValueEdits& edits_;
  ConstantPool& constants_;
  bool mayForm8_ = false, mayForm16_ = false, mayFormHalf_ = false; ///< constants of narrow types
  std::vector<uint32_t> rewrittenAt_; ///< by InstRef: begin in pool_ + 1, 0 for none
  std::vector<uint32_t> pool_;
  mutable std::vector<uint8_t> uses_; ///< by Id: in functions, 2 for more; empty until asked for
};

} // namespace lanewise
