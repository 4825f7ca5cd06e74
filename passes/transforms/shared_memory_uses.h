// Brings the uses of Workgroup variables into one form, so that a pass that changes their layout
// has to know no other.
//
// After it, what names a chosen variable, apart from its declaration, names, decorations, debug
// information and interfaces, is an access chain from the variable itself down to an *element*:
// whatever is neither an array nor a struct. What happens to the pointers to elements is left as it
// is. To get there,
// - an access chain on an access chain becomes one, and OpCopyObject of a pointer goes;
// - a function parameter that points to an array, a row or a struct is replaced by the array
//   indices that its pointer was made with; a function that is called with several variables or
//   members is cloned for each (specialization by call site);
// - a load, store or copy of an array, row or struct becomes those of its elements.
//
// The meaning stays the same, for every value of the specialization constants: an access of an
// aggregate is not atomic, so that its elements may be accessed one by one (SPIR-V 3.49.8), and the
// memory operands go with them. The promise of an alignment (Aligned) does not: it held for the
// first element only.
#pragma once

#include "analysis/module/analyses.h"
#include "ir/module.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise {

/// Why a variable was left as it is.
struct UseRefusal {
  Id variable;
  InstRef inst;          ///< the use, in the module as it was before
  std::string_view name; ///< stable: "variable-pointer", "unsized-access", ...
  std::string reason;    ///< what it is, for people
};

struct SharedUsesOptions {
  /// A load, store or copy of more elements is refused: each one becomes an instruction or two, and
  /// what moves as much is better written as a loop.
  uint32_t maxElements = 64;
  /// Most words by which clones may lengthen the module. More means that the calls multiply from
  /// level to level, and that inlining would have failed as well.
  uint32_t maxClonedWords = 1 << 18;
};

/// Rewrites the uses of those of `variables` that it can follow in full, and of no other variable;
/// for each of the rest one refusal or more is appended, by variable and place. True if the module
/// changed: no analysis is then right any more, and `analyses` (of this module) has forgotten them.
/// On an error (ids have run out) the module is as it was.
///
/// Refused: pointers to rows, arrays or structs that are phis, selected, loaded, stored, returned,
/// compared, reached by OpPtrAccessChain, or passed to a function of another module; variables with
/// linkage; parameters with decorations that mean something (Volatile, Coherent); accesses of
/// arrays without a literal length or with too many elements; copies between different types or
/// physical addresses. A function that is exported, or an entry point, stays beside its clones.
///
/// Debug information: lines and names go with the code; clones keep the scopes, but
/// DebugFunctionDefinition stays with the first; a DebugDeclare or DebugValue of a pointer that is
/// gone goes with it. Cost: linear in the module and in what is written.
Result<bool> normalizeSharedUses(Module& module, Analyses& analyses, const std::set<Id>& variables,
                                 std::vector<UseRefusal>& refusals,
                                 const SharedUsesOptions& options = {});

} // namespace lanewise
