#include "report/queue_rules.h"

#include <array>
#include <fmt/format.h>

namespace lanewise::driver {
namespace {

// In the order of QueueRule.
constexpr std::array<LintRule, 6> kRules{{
    {"queue-hazard", "queues", Severity::Error,
     "two commands on queues access the same bytes, one of them writes, and nothing orders them",
     "on one queue, give the later one `barrier = true`; on two, let it wait for a semaphore that "
     "is signalled behind the earlier one",
     nullptr},
    {"queue-wait-never-signalled", "queues", Severity::Error,
     "a wait for a value that no signal reaches", "signal the value, or wait for one that comes",
     nullptr},
    {"queue-deadlock", "queues", Severity::Error, "waits that wait for one another",
     "take one of them away, or move the signal in front of the wait", nullptr},
    {"queue-signal-backwards", "queues", Severity::Error,
     "a timeline semaphore whose value does not grow, or may not",
     "let each signal be above the one before, and order signals of several queues", nullptr},
    {"queue-ownership", "queues", Severity::Error,
     "an exclusive buffer that a queue family reads which does not own it, or half of a transfer",
     "release it on the one queue and acquire it on the other, or make it concurrent", nullptr},
    {"queue-redundant-wait", "queues", Severity::Warning, "a wait that orders nothing",
     "take it away, with its signal if nothing else waits for that", nullptr},
}};

} // namespace

std::span<const LintRule> queueLintRules() {
  return kRules;
}

const LintRule* findAnyLintRule(std::string_view name) {
  for (const LintRule& rule : kRules)
    if (rule.name == name) return &rule;
  return findLintRule(name);
}

LintFinding lintFindingOf(const QueueFinding& finding, const std::string& path,
                          bool areBytesKnown) {
  const LintRule& rule = kRules[size_t(finding.rule)];
  auto locationOf = [&](const TextPlace& at) {
    SourceLocation location;
    location.file = path;
    location.line = at.line, location.column = at.column;
    return location;
  };
  LintFinding found;
  found.rule = rule.name;
  found.severity = rule.severity;
  found.location = locationOf(finding.at);
  found.message = finding.message;
  if (finding.rule == QueueRule::Hazard && !areBytesKnown) {
    found.severity = Severity::Warning;
    found.message += ", as far as whole buffers tell";
  }
  if (finding.isPossible) found.severity = Severity::Warning;
  if (finding.pairs.size() > 1)
    found.args.emplace_back("times", fmt::format("{}", finding.pairs.size()));
  for (const QueueNote& note : finding.notes)
    found.notes.push_back({locationOf(note.at), note.text, ""});
  return found;
}

} // namespace lanewise::driver
