// What a pass decided of values - which go, and what stands for them from now on - carried out in
// one sweep over the module: operands, names, decorations and debug information follow.
#pragma once

#include "analysis/module/analyses.h"
#include "ir/rewriter.h"

#include <cstdint>
#include <map>
#include <vector>

namespace lanewise {

/// Decisions first, in any order; apply() then records the edits. Instructions that the pass edits
/// through the Rewriter itself (replace(), setWord()) must be told with isRewritten(), and their
/// operands are then the pass's own affair: resolved() says what they are called.
class ValueEdits {
public:
  ValueEdits(Analyses& analyses, Rewriter& rewriter);

  /// What a replacement may leave behind.
  enum class Decorated : uint8_t {
    KeepAsCopy, ///< a definition whose decorations say more than `value`'s becomes an OpCopyObject
    Equal       ///< the caller knows that the decorations of `value` will do
  };
  /// Every use of `old` becomes `value`, which must be available there; the definition of `old`
  /// goes. `value` may itself be replaced, before or afterwards, but not by `old`. Of an OpUndef,
  /// each use of which may find another value (SPIR-V 3.52.1), `old` becomes an OpCopyObject.
  void replace(Id old, Id value, Decorated decorated = Decorated::KeepAsCopy);
  /// Whether a replacement would leave a copy behind, for the sake of decorations.
  bool mustStayAsCopy(Id old) const;
  /// The instruction goes, with names and decorations of its result. What still uses the result
  /// when the edits are applied must be debug information, which goes with it.
  void erase(InstRef inst);
  /// The pass writes this instruction itself.
  void isRewritten(InstRef inst) { state_[inst.value] = State::Rewritten; }

  bool isErased(InstRef inst) const { return state_[inst.value] == State::Erased; }
  /// What stands for `id` in the end; `id` itself where nothing replaces it.
  Id resolved(Id id) const {
    return id.value < instead_.size() && instead_[id.value] ? lastOf(id) : id;
  }
  bool hasEdits() const { return hasEdits_; }

  /// Records everything in the Rewriter, instructions in module order.
  void apply();

private:
  enum class State : uint8_t { Kept, Erased, Copied, Rewritten };

  Id lastOf(Id id) const;
  void applyToGlobal(InstRef i);
  void applyToBody(InstRef i);
  void renameOperands(InstRef i);
  bool isGone(Id id) const;
  bool usesGone(InstRef i) const;
  void writeCopy(InstRef def);

  Analyses& analyses_;
  const Module& module_;
  Rewriter& rewriter_;
  std::vector<State> state_; ///< by InstRef
  /// By Id, null for itself; empty before the first. Paths are shortened when looked up.
  mutable std::vector<Id> instead_;
  std::map<InstRef, Id> copies_; ///< by definition: what it will be a copy of
  bool hasEdits_ = false;
  bool hasReplacements_ = false; ///< without any, operands keep their names
};

} // namespace lanewise
