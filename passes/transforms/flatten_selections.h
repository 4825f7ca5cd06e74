// Flattens structured selections: what stands in their arms moves to the end of the
// header, and the phis of the merge block become OpSelect.
//
// Moves and nothing else: who calls knows that all of it may be executed there.
#pragma once

#include "analysis/control_flow/selections.h"
#include "analysis/module/analyses.h"
#include "ir/rewriter.h"

#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lanewise {

struct FlattenPlan {
  struct Flat {
    Selection selection; ///< straight
    /// Stores of the first arm and of the second one to the same places, in order: made once, of
    /// the value that the condition chooses, behind all else. Only where there are two arms.
    std::vector<std::pair<InstRef, InstRef>> commonStores;
  };
  /// By header. Those inside an arm of another are flattened with it.
  std::map<BlockRef, Flat> flat;
  /// By header: instructions of arms that go to the end of the header, where the branch stays. Each
  /// stands behind what it uses. No selection with such instructions lies in a flat one.
  std::map<BlockRef, std::vector<InstRef>> hoisted;
  /// Results that another instruction computes as well, one that goes to the same place before it:
  /// this one is dropped, and that one used.
  std::unordered_map<Id, Id> same;
};

/// Instructions of an arm that compute something, in their order, those of selections inside (which
/// `plan` flattens) included: no labels, branches, lines and debug instructions. The phis of an
/// inner merge block stand behind the inner arms.
std::vector<InstRef> instructionsOf(const Module& module, const FlattenPlan& plan, const Arm& arm);

/// The value that a phi takes when it is reached from the block; null if it has none.
Id incomingValue(const Module& module, InstRef phi, BlockRef from);
/// The phis of a block.
std::vector<InstRef> phisOf(const Module& module, BlockRef block);

/// Records the rewrite.
void flattenSelections(Analyses& analyses, Rewriter& rewriter, const FlattenPlan& plan);

} // namespace lanewise
