// Variables of which only one activation of one function knows: those of the Function storage
// class, and Private ones that only an entry point's own function names.
#pragma once

#include "analysis/module/analyses.h"
#include "analysis/module/decorations.h"
#include "ir/module.h"
#include "ir/rewriter.h"
#include "transforms/value_edits.h"

#include <cstdint>
#include <vector>

namespace lanewise {

struct LocalVariable {
  InstRef def;
  Id id;
  Id type;              ///< of what it holds
  Id initial;           ///< null if it has no initializer
  FunctionRef function; ///< null until a Private one is used
  bool isPrivate = false;
  bool isCandidate = true;
};

/// The candidates of a module. Which of their uses are harmless is the pass's affair: it walks over
/// the module once, tells of each use, and drops what it cannot follow.
class LocalVariables {
public:
  /// All whose decorations say nothing that a value or another variable could not say as well.
  explicit LocalVariables(Analyses& analyses);

  bool empty() const { return all_.size() == 1; }
  /// Indices run from 1 to size() - 1.
  uint32_t size() const { return uint32_t(all_.size()); }
  const LocalVariable& at(uint32_t index) const { return all_[index]; }
  /// 0 for an id that is none. Also given for those that were dropped.
  uint32_t indexOf(Id id) const { return index_[id.value]; }

  void drop(uint32_t index) { all_[index].isCandidate = false; }
  /// The variable is used in this function.
  void useIn(uint32_t index, FunctionRef function) {
    LocalVariable& v = all_[index];
    if (v.function != function) useElsewhere(v, function);
  }
  /// Drops every candidate that a global instruction needs, and the Private ones that are not an
  /// entry point's own. To be called when all uses in functions were told.
  void finish();
  /// Takes the Private variables for which `isGone` out of the entry points' interfaces.
  template <class Predicate>
  void leaveInterfaces(Rewriter& rewriter, ValueEdits& edits, Predicate&& isGone) const;

private:
  void add(InstRef def, FunctionRef function);
  void useElsewhere(LocalVariable& v, FunctionRef function);
  void dropGlobalUses();

  const Module& module_;
  const Decorations& decorations_;
  std::vector<LocalVariable> all_; ///< [0] unused
  std::vector<uint32_t> index_;    ///< by Id
  bool hasPrivate_ = false;
};

/// True for opcodes that never have a pointer among their operands: most of those that are slow to
/// look through.
constexpr bool takesNoPointer(spv::Op op) {
  switch (op) {
  case spv::Op::OpLabel:
  case spv::Op::OpBranch:
  case spv::Op::OpBranchConditional:
  case spv::Op::OpSwitch:
  case spv::Op::OpSelectionMerge:
  case spv::Op::OpLoopMerge:
  case spv::Op::OpLine:
  case spv::Op::OpCompositeExtract:
  case spv::Op::OpVectorShuffle:
    return true;
  default:
    return false;
  }
}

template <class Predicate>
void LocalVariables::leaveInterfaces(Rewriter& rewriter, ValueEdits& edits,
                                     Predicate&& isGone) const {
  if (!hasPrivate_) return;
  for (InstRef i : module_.globals()) {
    if (module_.opcode(i) != spv::Op::OpEntryPoint) continue;
    const uint32_t first = 4 + uint32_t(module_.stringAt(i, 3).size() / 4);
    Inst entry(module_.inst(i).first(first));
    for (uint32_t n = first; n < module_.wordCount(i); ++n)
      if (const uint32_t v = indexOf(module_.idAt(i, n)); v == 0 || !isGone(v))
        entry.word(module_.word(i, n));
    if (entry.finish().size() == module_.wordCount(i)) continue;
    edits.isRewritten(i);
    rewriter.replace(i, std::move(entry));
  }
}

} // namespace lanewise
