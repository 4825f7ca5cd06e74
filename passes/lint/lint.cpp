#include "lint/lint.h"

#include "analysis/module/entry_points.h"
#include "lint/context.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace lanewise {

#define LANEWISE_LINT_RULE(file, entry, severity, summary, mend)                                   \
  void entry(LintContext&, LintFindings&);
#include "lint/rules.def"
#undef LANEWISE_LINT_RULE

namespace {

/// Rules are called as their files, with dashes: spelled once, in the list.
template <size_t N>
struct RuleName {
  std::array<char, N> chars{};
  constexpr explicit RuleName(const char (&file)[N]) {
    for (size_t i = 0; i < N; ++i) chars[i] = file[i] == '_' ? '-' : file[i];
  }
  constexpr std::string_view view() const { return {chars.data(), N - 1}; }
};
template <RuleName Name>
constexpr auto kName = Name;

const LintRule kRules[] = {
#define LANEWISE_LINT_RULE(file, entry, severity, summary, mend)                                   \
  {kName<RuleName(#file)>.view(), #file, Severity::severity, summary, mend, &entry},
#include "lint/rules.def"
#undef LANEWISE_LINT_RULE
};

auto orderOf(const LintFinding& f) {
  return std::tie(f.location.file, f.location.line, f.location.column);
}

} // namespace

std::span<const LintRule> allLintRules() {
  return kRules;
}

const LintRule* findLintRule(std::string_view name) {
  for (const LintRule& rule : kRules)
    if (rule.name == name) return &rule;
  return nullptr;
}

std::vector<UnlintedEntry> unlintedEntries(const Module& module) {
  std::vector<UnlintedEntry> unlinted;
  for (InstRef i : module.globals()) {
    if (module.opcode(i) != spv::Op::OpEntryPoint) continue;
    const auto model = spv::ExecutionModel(module.word(i, 1));
    if (model != spv::ExecutionModel::GLCompute)
      unlinted.push_back({std::string(module.stringAt(i, 3)), std::string(stageName(model))});
  }
  return unlinted;
}

LintFindings runLint(const Module& module, const Assumptions& assumptions,
                     const TargetProfile& target, std::span<const LintRule* const> rules) {
  LintFindings all;
  Analyses analyses(module, assumptions);
  LintContext context(analyses, target);
  for (const LintRule* rule : rules) {
    LintFindings found;
    rule->run(context, found);
    for (LintFinding& f : found) {
      f.rule = rule->name;
      if (std::find(all.begin(), all.end(), f) == all.end()) all.push_back(std::move(f));
    }
  }
  // By place; at one place in the order of the rules, and of the module.
  std::stable_sort(all.begin(), all.end(), [](const LintFinding& a, const LintFinding& b) {
    return orderOf(a) < orderOf(b);
  });
  return all;
}

} // namespace lanewise
