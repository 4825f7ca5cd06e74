// Debug information of variables that become values, or others.
#pragma once

#include "ir/debug_instructions.h"
#include "ir/module.h"
#include "ir/rewriter.h"

#include <cstdint>
#include <vector>

namespace lanewise {

/// The DebugDeclare of local variables, by the variables' numbers.
class DebugDeclarations {
public:
  struct Declaration {
    InstRef inst;
    uint32_t variable;
    uint32_t next;
  };

  /// Takes note of an OpExtInst. True if nothing in it keeps a variable: it declares one (`word` 6)
  /// of which `numberOf` says the number, gives its address as a value, or says where code comes
  /// from.
  template <class NumberOf>
  bool read(const Module& module, InstRef i, NumberOf&& numberOf) {
    if (!isDebugSet(module.extInstSet(module.idAt(i, 3)))) return false;
    const uint32_t what = module.word(i, 4);
    if (what == kDebugScope || what == kDebugNoScope || what == kDebugLine || what == kDebugNoLine)
      return true;
    if ((what != kDebugDeclare && what != kDebugValue) || module.wordCount(i) < 7) return false;
    const uint32_t number = numberOf(module.idAt(i, 6));
    if (number != 0 && what == kDebugDeclare) add(i, number);
    return true;
  }

  bool empty() const { return all_.empty(); }
  /// Calls `visit(InstRef)` for each declaration of the variable.
  template <class Visitor>
  void forEach(uint32_t variable, Visitor&& visit) const {
    if (variable >= first_.size()) return;
    for (uint32_t d = first_[variable]; d != 0; d = all_[d - 1].next) visit(all_[d - 1].inst);
  }
  /// Says before `at` that what the variable's declarations name has this value.
  void writeValue(const Module& module, Rewriter& rewriter, uint32_t variable, InstRef at,
                  Id value) const;
  std::vector<Declaration>::const_iterator begin() const { return all_.begin(); }
  std::vector<Declaration>::const_iterator end() const { return all_.end(); }

private:
  void add(InstRef i, uint32_t variable);

  std::vector<Declaration> all_;
  std::vector<uint32_t> first_; ///< by variable: index + 1 into all_
};

/// Where debug information of the phis of a block may stand: behind them, and behind what says
/// which scope and line the block begins in.
InstRef behindPhis(const Module& module, BlockRef block);

} // namespace lanewise
