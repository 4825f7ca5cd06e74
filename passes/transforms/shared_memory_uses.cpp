#include "transforms/shared_memory_uses.h"

#include "ir/rewriter.h"
#include "transforms/element_accesses.h"
#include "transforms/shared_pointers.h"
#include "transforms/specialize_callees.h"

#include <algorithm>
#include <span>
#include <tuple>

namespace lanewise {
namespace {

/// The variables of which every use can be rewritten, looked at one by one: what is wrong with one
/// is no matter to the others.
std::vector<Id> followable(Analyses& analyses, const std::set<Id>& variables,
                           const SharedUsesOptions& options, std::vector<UseRefusal>& refusals) {
  std::vector<Id> result;
  for (Id variable : variables) {
    const SharedUses uses = collectSharedUses(analyses, {&variable, 1}, options);
    if (uses.refusals.empty()) result.push_back(variable);
    refusals.insert(refusals.end(), uses.refusals.begin(), uses.refusals.end());
  }
  return result;
}

Status commit(Rewriter& rewriter, Analyses& analyses) {
  Result<bool> changed = rewriter.commit();
  if (!changed) return changed.error();
  if (*changed) analyses.invalidateExcept(PreservedAnalyses::none());
  return ok();
}

/// On an error the module is put back.
Result<bool> rewrite(Module& module, Analyses& analyses, std::span<const Id> variables,
                     CalleeSpecializer& specializer, const SharedUsesOptions& options) {
  const Module before = module;
  auto inTwoSteps = [&]() -> Status {
    Rewriter clones(module);
    specializer.emit(clones);
    if (Status done = commit(clones, analyses); !done) return done;
    const SharedUses uses = collectSharedUses(analyses, variables, options);
    Rewriter rewriter(module);
    if (Status done = rewriteSharedUses(analyses, uses, rewriter); !done) return done;
    return commit(rewriter, analyses);
  };
  if (Status done = inTwoSteps(); !done) {
    module = before;
    analyses.invalidateExcept(PreservedAnalyses::none());
    return done.error();
  }
  return true;
}

} // namespace

Result<bool> normalizeSharedUses(Module& module, Analyses& analyses, const std::set<Id>& variables,
                                 std::vector<UseRefusal>& refusals,
                                 const SharedUsesOptions& options) {
  const auto first = ptrdiff_t(refusals.size());
  std::vector<Id> chosen = followable(analyses, variables, options, refusals);
  Result<bool> changed = false;
  while (!chosen.empty()) {
    const SharedUses uses = collectSharedUses(analyses, chosen, options);
    if (uses.users.empty() && uses.pointers.size() <= chosen.size()) break; // nothing to do
    CalleeSpecializer specializer(analyses, uses, options);
    const std::vector<UseRefusal> tooMany = specializer.plan();
    if (tooMany.empty()) {
      changed = rewrite(module, analyses, chosen, specializer, options);
      break;
    }
    // Without the variables that ask for too much the others may go through: plan again.
    for (const UseRefusal& refusal : tooMany) std::erase(chosen, refusal.variable);
    refusals.insert(refusals.end(), tooMany.begin(), tooMany.end());
  }
  std::stable_sort(refusals.begin() + first, refusals.end(),
                   [](const UseRefusal& a, const UseRefusal& b) {
                     return std::tie(a.variable, a.inst) < std::tie(b.variable, b.inst);
                   });
  return changed;
}

} // namespace lanewise
