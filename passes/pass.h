// What a pass is: a function that looks at a module through its analyses, and may rewrite it.
#pragma once

#include "analysis/module/analyses.h"
#include "ir/module.h"
#include "lanewise/assumptions.h"
#include "lanewise/remarks.h"
#include "lanewise/result.h"
#include "lanewise/target_profile.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace lanewise {

struct LayoutExchange;

class Rewriter;

/// Everything a pass may know. Nothing else: no files, no environment, no globals.
struct PassContext {
  Module& module;
  Analyses& analyses;
  const TargetProfile& target;
  const Assumptions& assumptions;
  /// The value behind the flag's '=', or the registry's default.
  std::string_view mode;
  /// `--robust`: the shader may count on what happens to indices out of range, so a rewrite that
  /// would change it needs a proof that they are in range.
  bool isRobust = false;
  /// Whether the rewrite may touch this site (`--only`, `--skip`, `--bisect-limit`). Called once
  /// for each rewrite that is legal and pays, with the name of what it would rewrite. The order is
  /// the pass's, and the same for the same module: module order unless what a later rewrite may do
  /// depends on an inner one (--branch-to-predication asks for inner branches first).
  std::function<bool(std::string_view siteName)> maySite;
  Remarks& remarks;
  /// Of passes that change the layout of buffers alone (planning/layout_exchange.h); null: nobody
  /// asks for one and nobody wants to know.
  LayoutExchange* layouts = nullptr;
  /// Whether somebody reads why rewrites were not made. Otherwise a Missed remark may have its
  /// kind, pass and name alone and stand for several, and nothing has to be found out for it.
  bool explainsMissed = true;
  /// The same of rewrites that were made.
  bool explainsApplied = true;
  /// Loads that other invocations' stores may meet stay, also where their value is known: for rules
  /// that look at accesses (lint).
  bool keepsLoads = false;
};

/// Remarks that nobody wants explained: one for each kind and name, in that order.
class RemarkCounts {
public:
  /// `name` is a literal.
  void add(Remark::Kind kind, std::string_view name) { ++counts_[{kind, name}]; }
  void appendTo(Remarks& remarks, std::string_view pass) const;

private:
  std::map<std::pair<Remark::Kind, std::string_view>, uint32_t> counts_;
};

/// What a pass did. `preserved` holds the analyses that are still right after it.
struct PassOutcome {
  bool changed = false;
  PreservedAnalyses preserved = PreservedAnalyses::none();
};
using PassResult = Result<PassOutcome>;

struct PassInfo {
  std::string_view flag;     ///< "pad-shared-memory"
  std::string_view fileName; ///< "pad_shared_memory"
  std::string_view values;   ///< "auto|pad", default first; "" for none
  std::string_view summary;
  bool inO;
  PassResult (*run)(PassContext&);
  /// One of passes/canonical/: keeps the meaning bit for bit. It has one site, "module", which
  /// `--bisect-limit` does not count.
  bool isCanonical = false;

  /// True if `value` is one of `values` (or one of them ends in ":N" and `value` is that with a
  /// number).
  bool acceptsValue(std::string_view value) const;
  std::string_view defaultValue() const;
};

/// All passes, in the order of passes/registry.def.
std::span<const PassInfo> allPasses();
/// The pass with this flag (without dashes), null if there is none.
const PassInfo* findPass(std::string_view flag);

/// Why no pass may rewrite the module: it has something that the grammar does not know. The remark
/// names `pass`, the first that was asked for. Nothing where passes may run.
std::optional<Remark> whyUntouchable(const Module& module, std::string_view pass);

/// Runs one pass and invalidates what it did not preserve. In debug builds every analysis that the
/// pass claims to preserve is computed again and compared. On an error the module is as it was
/// before the pass.
PassResult runPass(const PassInfo& pass, PassContext& context);

/// For passes: commits what was recorded. Analyses that are not preserved go before the new module
/// is read, which takes the most memory.
PassResult commitEdits(PassContext& context, Rewriter& rewriter,
                       const PreservedAnalyses& preserved);

} // namespace lanewise
