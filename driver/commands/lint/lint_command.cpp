// `lanewise lint`: load, bring into the form that the rules read, look, report.
#include "commands/commands.h"
#include "commands/lint/lint_scenario.h"
#include "input/front_end.h"
#include "options/option_groups.h"
#include "pass_runner.h"
#include "pipeline/recorded_costs.h"
#include "report/lint_report.h"
#include "report/queue_rules.h"
#include "spirv/spirv_tools.h"
#include "spirv/validation.h"
#include "support/failure.h"
#include "support/files.h"
#include "support/isolate.h"
#include "support/print.h"
#include "support/suggest.h"
#include "support/terminal.h"
#include "verify/compare/source_texts.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <tuple>

namespace lanewise::driver {
namespace {

struct LintArguments {
  std::vector<std::string> inputs;
  std::string size; ///< of [sizes] of scenarios
  std::string output = "-", target = "generic";
  LintFormat format = LintFormat::Text;
  std::vector<std::string> only, enabled, disabled;
  bool isStrict = false; ///< --werror
  LoadOptions load;
  GivenConstants constants;
  Assumptions assumptions;
  PipelinesChoice pipelines;
  std::vector<const LintRule*> rules;
};

// ---- options ----

/// Those for shaders, then those for the queues of scenarios.
std::vector<const LintRule*> allRules() {
  std::vector<const LintRule*> rules;
  for (const LintRule& rule : allLintRules()) rules.push_back(&rule);
  for (const LintRule& rule : queueLintRules()) rules.push_back(&rule);
  return rules;
}

Result<const LintRule*> ruleNamed(const std::string& name) {
  if (const LintRule* rule = findAnyLintRule(name)) return rule;
  std::vector<std::string> known;
  for (const LintRule* rule : allRules()) known.emplace_back(rule->name);
  return failure(fmt::format("no lint rule '{}'{}", name,
                             didYouMean(name, known, "see 'lanewise lint --help'")));
}

/// --rule names all that run; otherwise all do, less --disable, and --enable has the last word.
Status chooseRules(LintArguments& o) {
  auto namesOf = [](const std::vector<std::string>& given) -> Result<std::vector<const LintRule*>> {
    std::vector<const LintRule*> rules;
    for (const std::string& name : given) {
      if (name == "all") {
        const std::vector<const LintRule*> all = allRules();
        rules.insert(rules.end(), all.begin(), all.end());
        continue;
      }
      Result<const LintRule*> rule = ruleNamed(name);
      if (!rule) return rule.error();
      rules.push_back(*rule);
    }
    return rules;
  };
  const auto only = namesOf(o.only), enabled = namesOf(o.enabled), disabled = namesOf(o.disabled);
  for (const auto* names : {&only, &enabled, &disabled})
    if (!*names) return names->error();
  auto has = [](const auto& rules, const LintRule* rule) {
    return std::find(rules->begin(), rules->end(), rule) != rules->end();
  };
  for (const LintRule* rule : allRules()) {
    const bool isWanted = o.only.empty() || has(only, rule);
    if ((isWanted && !has(disabled, rule)) || has(enabled, rule)) o.rules.push_back(rule);
  }
  return o.rules.empty() ? Status(failure("no rule is enabled")) : ok();
}

std::string helpOfRules() {
  std::string text = "\nThe rules:\n";
  for (const LintRule* rule : allRules())
    text += fmt::format("  {:<34} {}: {}\n", rule->name,
                        rule->severity == Severity::Error ? "error" : "warning", rule->summary);
  return text;
}

/// Names of rules, several of which may be separated by commas.
void addRulesOption(CommandLine& line, const char* name, std::vector<std::string>& rules,
                    std::string help) {
  line.each(
      name, "RULE",
      [&rules](const std::string& list) {
        for (size_t at = 0; at <= list.size();) {
          const size_t comma = std::min(list.find(',', at), list.size());
          rules.push_back(list.substr(at, comma - at));
          at = comma + 1;
        }
        return ok();
      },
      std::move(help));
}

/// More than a hundred times what is usual.
constexpr std::chrono::seconds kInliningTime{5};

// ---- one input ----

class LintRun {
public:
  LintRun(LintArguments& options, TargetProfile target)
      : options_(options), target_(std::move(target)) {
    report_.rules = options_.rules;
    std::copy_if(options_.rules.begin(), options_.rules.end(), std::back_inserter(shaderRules_),
                 [](const LintRule* rule) { return rule->run != nullptr; });
  }

  static bool isScenario(const std::string& input) { return input.ends_with(".toml"); }

  int run() {
    int exitCode = kDone;
    for (const std::string& input : options_.inputs)
      if (!(isScenario(input) ? lintQueues(input) : lintOne(input))) exitCode = kBadUsageOrInput;
    warnOf(use_.unused());
    // An earlier report stays where there is nothing to say.
    const bool isAllFailed = report_.failed.size() == options_.inputs.size();
    if (isAllFailed && options_.format == LintFormat::Text) return exitCode;
    if (Status s = write(); !s) return fail(s.error().message);
    return std::max<int>(exitCode, report_.count(Severity::Error) != 0 ? kFoundSomething : kDone);
  }

private:
  Status write() const {
    if (options_.format == LintFormat::Text && options_.output == "-") {
      printDiagnostics(stdout, lintAsText(report_, terminalWidth(stdout)));
      return ok();
    }
    OutputFiles file;
    file.add(options_.output, text());
    return file.commit();
  }

  std::string text() const {
    if (options_.format == LintFormat::Json) return lintAsJson(report_);
    if (options_.format == LintFormat::Sarif) return lintAsSarif(report_);
    return lintAsText(report_);
  }

  bool lintQueues(const std::string& input) {
    std::vector<std::string> notes;
    Result<LintedInput> linted =
        lintScenario({input, options_.size, ""}, options_.load, options_.rules, notes);
    if (!linted) {
      fail(linted.error().message);
      report_.failed.push_back({input, linted.error().message});
      return false;
    }
    for (const std::string& note : notes) printError("note: {}\n", note);
    for (LintFinding& found : linted->findings)
      if (options_.isStrict) found.severity = Severity::Error;
    report_.inputs.push_back(std::move(*linted));
    return true;
  }

  bool lintOne(const std::string& input) {
    const Result<LoadedModule> loaded = loadModule(input, options_.load);
    if (!loaded) {
      fail(loaded.error().message);
      report_.failed.push_back({nameOf(input), withoutSource(loaded.error().message)});
      return false;
    }
    for (const std::string& warning : loaded->warnings) printError("{}\n", warning);
    Result<Module> original = Module::read(loaded->words());
    if (!original) return complain(input, original.error());
    const Result<Assumptions> given = use_.assumptionsFor(*original, options_.assumptions);
    if (!given) return complain(input, given.error());
    const Result<Module> module = prepare(input, *original, *loaded, *given);
    if (!module) return complain(input, module.error());
    LintedInput linted{nameOf(input), {}, {}, unlintedEntries(*module)};
    Result<LintFindings> findings = findingsOf(input, *original, *module, *given);
    if (!findings) return complain(input, findings.error());
    linted.findings = std::move(*findings);
    SourceTexts texts;
    texts.add(*original);
    for (LintFinding& f : linted.findings) {
      if (options_.isStrict) f.severity = Severity::Error;
      auto quote = [&](const SourceLocation& at, const std::string& subject) -> QuotedLine {
        const std::string& line = texts.wholeLine(at);
        return {line, rangeIn(line, at.column, subject)};
      };
      std::vector<QuotedLine> lines{quote(f.location, f.subject)};
      for (const LintNote& note : f.notes) lines.push_back(quote(note.location, note.subject));
      linted.lines.push_back(std::move(lines));
    }
    report_.inputs.push_back(std::move(linted));
    return true;
  }

  /// What any of the recorded pipelines shows, each finding once.
  Result<LintFindings> findingsOf(const std::string& input, const Module& original,
                                  const Module& module, const Assumptions& given) {
    if (!options_.pipelines.isGiven()) return runLint(module, given, target_, shaderRules_);
    const Result<std::vector<PipelineSet>> sets =
        setsOf(*options_.pipelines.pipelines, input, original.words(), original,
               options_.load.entry, given);
    if (!sets) return sets.error();
    if (sets->empty()) return runLint(module, given, target_, shaderRules_);
    LintFindings all;
    for (const PipelineSet& set : *sets) {
      PipelineOptions with;
      with.target = target_;
      countWith(set, with);
      for (LintFinding& f : runLint(module, with.assumptions, with.target, shaderRules_))
        if (std::find(all.begin(), all.end(), f) == all.end()) all.push_back(std::move(f));
    }
    std::stable_sort(all.begin(), all.end(), [](const LintFinding& a, const LintFinding& b) {
      return std::tie(a.location.file, a.location.line) <
             std::tie(b.location.file, b.location.line);
    });
    return all;
  }

  static std::string nameOf(const std::string& input) { return input == "-" ? "<stdin>" : input; }

  bool complain(const std::string& input, const Error& error) {
    report_.failed.push_back({nameOf(input), fmt::format("{}: {}", input, error.str())});
    fail(report_.failed.back().message);
    return false;
  }

  /// The form that the rules read. Loops and branches stay those of the source, and so does every
  /// line.
  Result<Module> prepare(const std::string& input, const Module& original,
                         const LoadedModule& loaded, const Assumptions& assumptions) const {
    if (const std::optional<Remark> why = whyUntouchable(original, "lint")) {
      printError("{}: warning: {}, and some problems may be missed\n", input, why->message);
      return original;
    }
    const PassSettings settings{.target = target_, .assumptions = assumptions, .keepsLoads = true};
    Result<Module> form = canonicalForm(original, settings, "all");
    if (!form || !hasCalls(*form)) return form;
    if (Result<Module> inlined = inlinedByTools(loaded)) {
      Result<Module> other = canonicalForm(std::move(*inlined), settings, "all");
      if (other && !hasCalls(*other)) return other;
    }
    printError("{}: warning: some calls were not inlined, and problems may be missed in the "
               "functions that they call\n",
               input);
    return form;
  }

  static bool hasCalls(const Module& module) {
    return std::any_of(module.insts().begin(), module.insts().end(),
                       [&](InstRef i) { return module.opcode(i) == spv::Op::OpFunctionCall; });
  }

  /// SPIRV-Tools inlines without a limit, and where --inline does not: what never reaches its end
  /// into a continue construct.
  static Result<Module> inlinedByTools(const LoadedModule& loaded) {
    const std::string flags[] = {"--eliminate-dead-branches", "--merge-return",
                                 "--inline-entry-points-exhaustive", "--eliminate-dead-functions"};
    const IsolationLimits limits = defaultIsolation();
    IsolationLimits brief = limits;
    brief.time = kInliningTime;
    setDefaultIsolation(brief);
    const Result<Words> words = runSpirvOpt(loaded.words(), flags, {loaded.env, true, true});
    setDefaultIsolation(limits);
    if (!words) return words.error();
    if (auto valid = validateWords(*words, loaded.env); !valid) return valid.error();
    return Module::read(*words);
  }

  LintArguments& options_;
  TargetProfile target_;
  std::vector<const LintRule*> shaderRules_;
  LintReport report_;
  ConstantUse use_{options_.constants};
};

class LintCommand : public Command {
public:
  void declare(CommandLine& line) override {
    line.about(
        "Finds mistakes and slow code in compute shaders: barriers in non-uniform control flow, "
        "data races on shared memory, redundant barriers, bank conflicts, uncoalesced accesses and "
        "divergent branches; and in scenarios with queues: accesses that no semaphore, fence or "
        "barrier orders, and waits that never end.\nExit codes: 0 nothing found, or warnings only; "
        "1 bad usage or input; "
        "2 an error was found (with --werror: anything); 3 no device for --target=device.");
    line.example("Look for everything.", "lanewise lint tile.comp");
    line.example("Look for races only, and let a build fail on them.",
                 "lanewise lint --rule=shared-memory-race --werror tile.comp");
    line.example("Write what code-scanning services read.",
                 "lanewise lint --format=sarif tile.comp -o lint.sarif");
    line.example("Look for what nothing orders on the queues of a scenario.",
                 "lanewise lint --size=small queues.toml");
    line.epilog(helpOfRules);
    line.positionals("INPUT", "FILE.toml|SHADER", o_.inputs,
                     ".spv, .spvasm, .comp/.glsl, .hlsl, - or a scenario with queues (.toml)");
    line.group("Rules");
    addRulesOption(line, "--rule", o_.only, "run only this rule (repeatable)");
    addRulesOption(line, "--disable", o_.disabled, "do not run this rule");
    addRulesOption(line, "--enable", o_.enabled, "run this rule even with --disable=all");
    line.flag("--werror", o_.isStrict, "treat warnings as errors");
    line.group("What the rules may assume");
    addTargetOption(line, o_.target);
    addAssumptionOptions(line, o_.assumptions, o_.constants);
    addPipelinesOption(line, o_.pipelines);
    line.group("Input");
    line.value("--size", "NAME", o_.size, "take the parameters of [sizes.NAME] of a scenario");
    addSourceOptions(line, o_.load);
    addEnvironmentOption(line, o_.load);
    line.group("Report");
    line.value("--format", "text|json|sarif",
               choice("--format", o_.format, {"text", "json", "sarif"}), "form of the report");
    line.value("-o,--output", "FILE", o_.output, "report file (default: standard output)").output();
    line.check([this]() -> Status {
      if (Status s = checkInputs(o_.inputs, "no input; give a file, or - for standard input"); !s)
        return s;
      const bool hasScenario = std::any_of(o_.inputs.begin(), o_.inputs.end(), LintRun::isScenario);
      if (!o_.size.empty() && !hasScenario) return failure("--size needs a scenario (.toml)");
      if (Status s = chooseRules(o_); !s) return s;
      return checkDestination(o_.output, o_.inputs);
    });
  }

  int run(const CommandLine&) override {
    TargetProfile target;
    if (int code = openTarget(o_.target, {}, target)) return code;
    return LintRun(o_, std::move(target)).run();
  }

private:
  LintArguments o_;
};

} // namespace

std::unique_ptr<Command> makeLintCommand() {
  return std::make_unique<LintCommand>();
}

} // namespace lanewise::driver
