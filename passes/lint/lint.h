// Lint: rules that look at a module and say what is wrong with it, or slow, and where in the
// source.
//
// Rules are judged by what they say of correct code: nothing. A rule of severity Error names
// mistakes; what it cannot establish it does not mention. Rules look at modules in SSA form: what
// compilers write should be brought into canonicalForm() first (pass_runner.h). docs/lint.md.
#pragma once

#include "analysis/module/analyses.h"
#include "ir/module.h"
#include "lanewise/assumptions.h"
#include "lanewise/remarks.h"
#include "lanewise/target_profile.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lanewise {

enum class Severity : uint8_t { Warning, Error };

using LintNote = RemarkNote;

struct LintFinding {
  std::string_view rule;
  Severity severity = Severity::Warning;
  SourceLocation location; ///< line 0 when the module has no lines
  std::string function;    ///< the shader function (after inlining: the entry point); may be empty
  std::string message;     ///< one sentence, without a trailing period
  std::string subject;     ///< as a note's
  std::vector<LintNote> notes;
  /// Figures for machines, in the order they are to be printed: {"degree", "32"}.
  std::vector<std::pair<std::string, std::string>> args;
  bool operator==(const LintFinding&) const = default;
};
using LintFindings = std::vector<LintFinding>;

class LintContext;

struct LintRule {
  std::string_view name;     ///< "shared-memory-race"
  std::string_view fileName; ///< "shared_memory_race"
  Severity severity;
  std::string_view summary;
  std::string_view mend; ///< what usually helps; one line, without a trailing period
  void (*run)(LintContext&, LintFindings&);
};

/// All rules, in the order of lint/rules.def.
std::span<const LintRule> allLintRules();
/// The rule with this name, null if there is none.
const LintRule* findLintRule(std::string_view name);

/// An entry point that no rule looks at: all of them are about the invocations of a compute shader.
struct UnlintedEntry {
  std::string name, stage; ///< "main", "fragment"
};
/// In module order.
std::vector<UnlintedEntry> unlintedEntries(const Module& module);

/// What the rules find in a valid module, by place, each once: code that was inlined several times
/// gives one finding. Values in the assumptions are taken to be those that the module is used with.
LintFindings runLint(const Module& module, const Assumptions& assumptions,
                     const TargetProfile& target, std::span<const LintRule* const> rules);

} // namespace lanewise
