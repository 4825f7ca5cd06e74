#include "commands/lint/lint_scenario.h"

#include "report/queue_rules.h"
#include "support/failure.h"
#include "support/files.h"
#include "verify/queue_check/queue_check.h"

#include <algorithm>
#include <fmt/format.h>

namespace lanewise::driver {
namespace {

// An inline table, or what else stands from the column on, without a comment.
QuotedLine quoteAt(const NumberedLines& lines, const SourceLocation& at) {
  const auto line = lines.find(at.line);
  if (line == lines.end()) return {};
  const std::string& text = line->second;
  const size_t begin = at.column == 0 ? 0 : at.column - 1;
  if (begin >= text.size()) return {text, std::nullopt};
  size_t end = text.size();
  if (text[begin] == '{') {
    const size_t close = text.find('}', begin);
    if (close != std::string::npos) end = close + 1;
  } else if (const size_t comment = text.find(" #", begin); comment != std::string::npos) {
    end = comment;
  }
  return {text, LineSpan{begin, end}};
}

} // namespace

Result<LintedInput> lintScenario(const ScenarioChoice& choice, const LoadOptions& load,
                                 std::span<const LintRule* const> rules,
                                 std::vector<std::string>& notes) {
  Result<ScenarioShaders> shaders = ScenarioShaders::read(choice, load, true);
  if (!shaders) return shaders.error();
  const Scenario& scenario = shaders->scenario();
  if (!scenario.queues)
    return failure(fmt::format("{}: it has no [[queue]], and lint looks at the queues of a "
                               "scenario; give its shaders to look at those",
                               choice.path));
  ProgramVariant variant;
  variant.name = "the scenario";
  for (const ScenarioShader* shader : shaders->used()) {
    Result<LoadedModule> module = shaders->load(*shader);
    if (!module) return module.error();
    variant.modules[shader->name] = wordsOf(*module, Lines::Keep);
  }
  Result<QueueCheckReport> checked = checkQueues(scenario, variant);
  if (!checked) return failure(fmt::format("{}: {}", choice.path, checked.error().str()));
  if (!checked->notWatched.empty())
    notes.push_back(fmt::format("{}: what commands touch is taken from what their shaders declare, "
                                "whole buffers: {}",
                                choice.path, checked->notWatched));
  if (checked->hazardsLeftOut != 0)
    notes.push_back(fmt::format("{}: and {}{} more pairs of commands that nothing orders",
                                choice.path, checked->areMoreLeftOut ? "at least " : "",
                                checked->hazardsLeftOut));
  if (checked->waitsLeftOut != 0)
    notes.push_back(fmt::format("{}: and {} more waits that order nothing", choice.path,
                                checked->waitsLeftOut));
  Result<std::string> text = readFile(choice.path);
  const NumberedLines lines = numberedLines(text ? *text : std::string());
  LintedInput linted{choice.path, {}, {}, {}};
  for (const QueueFinding& one : checked->findings) {
    LintFinding found = lintFindingOf(one, choice.path, checked->notWatched.empty());
    if (std::none_of(rules.begin(), rules.end(),
                     [&](const LintRule* rule) { return rule->name == found.rule; }))
      continue;
    std::vector<QuotedLine> quotes{quoteAt(lines, found.location)};
    for (const LintNote& note : found.notes) quotes.push_back(quoteAt(lines, note.location));
    linted.findings.push_back(std::move(found));
    linted.lines.push_back(std::move(quotes));
  }
  return linted;
}

} // namespace lanewise::driver
