// Writes functions anew with their calls replaced by copies of what they call. A copy of a copy is
// written straight from the original, so the work is what comes out, however deep calls nest.
#pragma once

#include "canonical/support/inline_debug.h"
#include "canonical/support/inline_plan.h"
#include "canonical/support/inline_types.h"
#include "ir/rewriter.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace lanewise {

class InlineCopier {
public:
  InlineCopier(Analyses& analyses, const Annotations& annotations, InlinePlan& plan,
               Rewriter& rewriter);

  /// Records the edits that inline the calls of `root`.
  void rewrite(FunctionRef root);
  /// Functions that are called from what was written; may have some twice.
  std::vector<FunctionRef> takeCalled() { return std::exchange(called_, {}); }
  /// Records names and decorations of everything that was copied; once, in the end.
  void finish();

private:
  /// A function that is being written, in the place of a call or as itself.
  struct Activation {
    FunctionPlan* plan = nullptr;
    InstRef at;                        ///< next to be written
    size_t map = 0;                    ///< where its local numbers begin in map_
    size_t nextWord = 0;               ///< in plan->localWords
    size_t nextCall = 0;               ///< in plan->calls
    const BlockSplit* split = nullptr; ///< of the current block
    bool headerIsOpen = false;         ///< phis of a split loop header are being written
    InstRef pieceStart; ///< the call behind which the current piece of a block began, or null
    // Of a copy:
    Id rest;        ///< label behind it; null where it is pasted
    Id result;      ///< of the call; null: void
    Id resultType;  ///< of the call
    Id flag, value; ///< variables: whether it has returned, and what
    InlineDebug::State debug;
    InlineDebug::Place place;
  };
  struct Copy {
    Id of, id;
    auto operator<=>(const Copy&) const = default;
  };

  Id mapped(const Activation& a, Id id) const {
    const uint32_t local = plan_.localOf(id);
    return local ? map_[a.map + local] : id;
  }
  bool isRoot() const { return stack_.size() == 1; }

  void enterRoot(FunctionRef root);
  void step();
  void writeDebug(Activation& a, InstRef i);
  void writeLabel(Activation& a, InstRef i);
  void writeVariable(Activation& a, InstRef i);
  void writePhi(Activation& a, InstRef i);
  void closeHeader(Activation& a, InstRef i);
  void writeTerminator(Activation& a, InstRef i);
  void writeReturn(Activation& a, InstRef i);
  void openLoopBody(Activation& a, InstRef i);
  void writeExit(Activation& a);
  void writeExitBlocks(const Activation& a, const std::vector<ExitBlock>& blocks);
  void redirect(const Activation& a, InstRef i);
  Id exitLabel(const Activation& a, uint32_t local) const {
    return local ? map_[a.map + local] : a.rest;
  }
  void writeCall(Activation& a, InstRef i);
  void enter(const CallSite& call);
  void mapParameters(const CallSite& call, const FunctionPlan& callee);
  void mapExits(Activation& copy, const FunctionPlan& callee);
  void declareExit(Activation& copy);
  void leave();
  void writeResult(const Activation& copy);
  void writePlain(Activation& a, InstRef i);
  void cloneSampledImages(Activation& a, InstRef i);

  void writeGroup(InstRef i, std::span<const uint32_t> targets);

  uint32_t* append(Activation& a, InstRef i, std::vector<uint32_t>& to);
  template <class... Words>
  void emit(spv::Op op, Words... words) {
    out_.push_back(uint32_t(op) | uint32_t(sizeof...(words) + 1) << 16);
    (out_.push_back(words), ...);
  }
  void emitLabel(Id label);

  const Module& module_;
  const Annotations& annotations_;
  InlinePlan& plan_;
  Rewriter& rewriter_;
  InlineDebug debug_;
  std::vector<uint32_t> out_;       ///< of the current root
  std::vector<uint32_t> variables_; ///< that go into its first block
  size_t variablesAt_ = 0;          ///< in out_
  Id label_;                        ///< of the block that is being written
  std::vector<Activation> stack_;
  std::vector<Id> map_; ///< what local numbers are, of all activations
  InlineTypes types_;
  std::vector<Copy> copies_; ///< of what has names or decorations
  std::vector<Id> gone_;     ///< results of void calls
  std::vector<FunctionRef> called_;
};

} // namespace lanewise
