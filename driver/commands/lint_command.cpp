// `lanewise lint`: load, bring into the form that the rules read, look, report.
#include "commands/commands.h"
#include "input/front_end.h"
#include "input/scenario_inputs.h"
#include "options/option_values.h"
#include "report/lint_report.h"
#include "support/failure.h"
#include "support/files.h"
#include "support/isolate.h"
#include "support/print.h"
#include "support/spirv_tools.h"
#include "support/suggest.h"
#include "targets/device_target.h"
#include "targets/target_profiles.h"
#include "verify/compare/source_texts.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace lanewise::driver {
namespace {

struct Options {
  std::vector<std::string> inputs;
  std::string output = "-", format = "text", target = "generic";
  std::string kind, targetEnv, workgroupSize;
  std::vector<std::string> defines, specConstants, only, enabled, disabled;
  bool isStrict = false; ///< --werror
  LoadOptions load;
  Assumptions assumptions;
  std::vector<const LintRule*> rules;
};

int fail(int code, std::string_view message) {
  printError("lanewise: {}\n", message);
  return code;
}

// ---- options ----

constexpr const char* kName = "lanewise lint";
constexpr const char* kAbout =
    "Looks for mistakes and slow code in compute shaders: barriers that not all invocations reach, "
    "races on shared memory, barriers that nothing needs, bank conflicts, uncoalesced accesses and "
    "divergent branches.\n"
    "Exit codes: 0 nothing found, or warnings only; 1 bad usage or input; 2 an error was found "
    "(with --werror: anything); 3 no device for --target=device.";

void declare(CLI::App& app, Options& o) {
  app.get_formatter()->column_width(34);
  app.add_option("INPUT", o.inputs, ".spv, .spvasm, .comp/.glsl, .hlsl, or -")->type_name("SHADER");
  const char* rules = "Rules";
  app.add_option("--rule", o.only, "look for this only (may be repeated)")
      ->type_name("RULE")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->group(rules);
  app.add_option("--disable", o.disabled, "do not look for this")
      ->type_name("RULE")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->group(rules);
  app.add_option("--enable", o.enabled, "look for this although --disable=all")
      ->type_name("RULE")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->group(rules);
  app.add_flag("--werror", o.isStrict, "make errors of warnings")->group(rules);
  const char* what = "What the rules may assume";
  app.add_option("--target", o.target, "GPU to count for: a name, FILE.toml, or device")
      ->type_name("TARGET")
      ->group(what);
  app.add_option("--spec-const", o.specConstants, "value of a specialization constant")
      ->type_name("ID:VALUE")
      ->allow_extra_args(false)
      ->group(what);
  app.add_option("--workgroup-size", o.workgroupSize, "workgroup size that is not literal")
      ->type_name("X,Y,Z")
      ->group(what);
  const char* loading = "Input";
  app.add_option("-x", o.kind, "kind of the input")
      ->type_name("spv|spvasm|glsl|hlsl")
      ->group(loading);
  app.add_option("-I", o.load.includeDirs, "folder to search for #include")
      ->type_name("FOLDER")
      ->allow_extra_args(false)
      ->group(loading);
  app.add_option("-D", o.defines, "define a macro")
      ->type_name("NAME[=VALUE]")
      ->allow_extra_args(false)
      ->group(loading);
  app.add_option("--entry", o.load.entry, "entry point (of HLSL: the function to compile)")
      ->type_name("NAME")
      ->group(loading);
  app.add_option("--target-env", o.targetEnv, "environment to compile for and validate in")
      ->type_name("ENV")
      ->group(loading);
  const char* report = "Report";
  app.add_option("--format", o.format, "form of the report")
      ->type_name("text|json|sarif")
      ->group(report);
  app.add_option("-o,--output", o.output, "where the report goes (standard output)")
      ->type_name("FILE")
      ->group(report);
}

Result<const LintRule*> ruleNamed(const std::string& name) {
  if (const LintRule* rule = findLintRule(name)) return rule;
  std::vector<std::string> known;
  for (const LintRule& rule : allLintRules()) known.emplace_back(rule.name);
  const std::string near = nearest(name, known);
  return failure(fmt::format("no lint rule '{}'; {}", name,
                             near.empty() ? "see 'lanewise lint --help'"
                                          : fmt::format("did you mean '{}'?", near)));
}

/// --rule names all that run; otherwise all do, less --disable, and --enable has the last word.
Status chooseRules(Options& o) {
  auto namesOf = [](const std::vector<std::string>& given) -> Result<std::vector<const LintRule*>> {
    std::vector<const LintRule*> rules;
    for (const std::string& name : given) {
      if (name == "all") {
        for (const LintRule& rule : allLintRules()) rules.push_back(&rule);
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
  auto has = [](const auto& rules, const LintRule& rule) {
    return std::find(rules->begin(), rules->end(), &rule) != rules->end();
  };
  for (const LintRule& rule : allLintRules()) {
    const bool isWanted = o.only.empty() || has(only, rule);
    if ((isWanted && !has(disabled, rule)) || has(enabled, rule)) o.rules.push_back(&rule);
  }
  return o.rules.empty() ? Status(failure("no rule is left to look for")) : ok();
}

Status checkOptions(Options& o) {
  if (o.inputs.empty()) return failure("no input; give a file, or - for standard input");
  if (std::count(o.inputs.begin(), o.inputs.end(), ""))
    return failure("the name of an input is empty");
  if (o.inputs.size() > 1 && std::count(o.inputs.begin(), o.inputs.end(), "-"))
    return failure("standard input (-) must be the only input");
  if (o.format != "text" && o.format != "json" && o.format != "sarif")
    return failure(fmt::format("--format={}: it is text, json or sarif", o.format));
  if (Status s = parseLoadOptions(o.kind, o.defines, o.load); !s) return s;
  if (!o.targetEnv.empty()) {
    Result<spv_target_env> env = parseTargetEnv(o.targetEnv);
    if (!env) return failure("--target-env: " + env.error().message);
    o.load.env = *env;
  }
  Result<Assumptions> assumptions = parseAssumptions(o.specConstants, o.workgroupSize);
  if (!assumptions) return assumptions.error();
  o.assumptions = std::move(*assumptions);
  for (const std::string& input : o.inputs)
    if (o.output != "-" && isSameFile(input, o.output))
      return failure(fmt::format("{}: the report would overwrite an input", o.output));
  return chooseRules(o);
}

std::string helpText(CLI::App& app) {
  std::string text = app.help() + "\nThe rules:\n";
  for (const LintRule& rule : allLintRules())
    text += fmt::format("  {:<34} {}: {}\n", rule.name,
                        rule.severity == Severity::Error ? "error" : "warning", rule.summary);
  return text;
}

// ---- the form that the rules read ----

/// Everything inlined, variables in SSA form, constants folded, dead code gone; loops and branches
/// stay those of the source, and so does every line.
constexpr const char* kFlags[] = {
    "--inline-entry-points-exhaustive",
    "--eliminate-dead-functions",
    "--private-to-local",
    "--eliminate-local-single-block",
    "--eliminate-local-single-store",
    "--eliminate-dead-code-aggressive",
    "--scalar-replacement=100",
    "--convert-local-access-chains",
    "--eliminate-local-single-block",
    "--eliminate-local-single-store",
    "--eliminate-dead-code-aggressive",
    "--ssa-rewrite",
    "--eliminate-dead-code-aggressive",
    "--ccp",
    "--eliminate-dead-code-aggressive",
    "--eliminate-dead-branches",
    "--combine-access-chains",
    "--simplify-instructions",
    "--eliminate-dead-branches",
    "--eliminate-dead-code-aggressive",
};

/// Whether a function that is called returns early: only with a single return can it be inlined.
/// Entry points keep their returns, which are what the rules speak of.
bool hasCalleeWithSeveralReturns(const Module& module) {
  std::vector<uint32_t> returns(module.functionCount() + 1, 0);
  std::vector<bool> isCalled(module.functionCount() + 1, false);
  for (InstRef i : module.insts()) {
    const BlockRef block = module.blockOf(i);
    if (!block) continue;
    const spv::Op op = module.opcode(i);
    if (op == spv::Op::OpReturn || op == spv::Op::OpReturnValue)
      ++returns[module.functionOf(block).value];
    if (op == spv::Op::OpFunctionCall)
      isCalled[module.functionOfId(module.idAt(i, 3)).value] = true;
  }
  for (uint32_t f = 1; f <= module.functionCount(); ++f)
    if (isCalled[f] && returns[f] > 1) return true;
  return false;
}

std::vector<std::string> flagsFor(bool mergesReturns) {
  std::vector<std::string> flags{"--eliminate-dead-branches"};
  if (mergesReturns) flags.push_back("--merge-return");
  flags.insert(flags.end(), std::begin(kFlags), std::end(kFlags));
  return flags;
}

/// Seconds for bringing one module into that form: more than a hundred times what is usual.
constexpr std::chrono::seconds kPreparationTime{20};

// ---- one input ----

class LintRun {
public:
  LintRun(Options& options, TargetProfile target) : options_(options), target_(std::move(target)) {
    report_.rules = options_.rules;
  }

  int run() {
    int exitCode = kDone;
    for (const std::string& input : options_.inputs)
      if (!lintOne(input)) exitCode = kBadUsageOrInput;
    OutputFiles file;
    file.add(options_.output, text());
    if (Status s = file.commit(); !s) return fail(kBadUsageOrInput, s.error().message);
    return std::max<int>(exitCode, report_.count(Severity::Error) != 0 ? kFoundSomething : kDone);
  }

private:
  std::string text() const {
    if (options_.format == "json") return lintAsJson(report_);
    if (options_.format == "sarif") return lintAsSarif(report_);
    return lintAsText(report_);
  }

  bool lintOne(const std::string& input) {
    LoadError why;
    std::optional<LoadedModule> loaded = loadModule(input, options_.load, why);
    if (!loaded) {
      // Messages of compilers keep the form that editors jump to.
      for (const std::string& line : why.lines)
        printError("{}{}\n", line.find(": error: ") != std::string::npos ? "" : "lanewise: ", line);
      return false;
    }
    for (const std::string& warning : loaded->warnings) printError("{}\n", warning);
    Result<Module> original = Module::read(loaded->words);
    if (!original) return complain(input, original.error());
    Result<Module> module = prepare(input, *original, *loaded);
    if (!module) return complain(input, module.error());
    LintedInput linted{input == "-" ? "<stdin>" : input, {}, {}};
    linted.findings = runLint(*module, options_.assumptions, target_, options_.rules);
    SourceTexts texts;
    texts.add(*original);
    for (LintFinding& f : linted.findings) {
      if (options_.isStrict) f.severity = Severity::Error;
      std::vector<std::string> lines{texts.line(f.location)};
      for (const LintNote& note : f.notes) lines.push_back(texts.line(note.location));
      linted.lines.push_back(std::move(lines));
    }
    report_.inputs.push_back(std::move(linted));
    return true;
  }

  static bool complain(const std::string& input, const Error& error) {
    printError("lanewise: {}: {}\n", input, error.str());
    return false;
  }

  /// Inlining what returns early may fail on large modules; then it stays a call.
  static Result<Module> prepare(const std::string& input, const Module& original,
                                const LoadedModule& loaded) {
    std::vector<bool> attempts{false};
    if (hasCalleeWithSeveralReturns(original)) attempts.insert(attempts.begin(), true);
    for (bool mergesReturns : attempts) {
      const Result<Words> words =
          runSpirvOpt(loaded.words, flagsFor(mergesReturns), {loaded.env, true, true});
      if (words && validate(*words, loaded.env)) return Module::read(*words);
    }
    printError("{}: warning: SPIRV-Tools cannot simplify this module, and less is found in it\n",
               input);
    return Module::read(loaded.words);
  }

  Options& options_;
  TargetProfile target_;
  LintReport report_;
};

} // namespace

std::vector<CommandDescription> describeLint() {
  Options options;
  CLI::App app(kAbout, kName);
  declare(app, options);
  return {describe(app, {{"Look for everything.", "lanewise lint tile.comp"},
                         {"Look for races only, and let a build fail on them.",
                          "lanewise lint --rule=shared-memory-race --werror tile.comp"},
                         {"Write what code-scanning services read.",
                          "lanewise lint --format=sarif tile.comp -o lint.sarif"}})};
}

int lintCommand(std::span<char*> args) {
  Options options;
  CLI::App app(kAbout, kName);
  declare(app, options);
  Result<bool> wantsHelp = parseArguments(app, args, "lint");
  if (!wantsHelp) return fail(kBadUsageOrInput, wantsHelp.error().message);
  if (*wantsHelp) {
    printOut("{}", helpText(app));
    return kDone;
  }
  if (Status checked = checkOptions(options); !checked)
    return fail(kBadUsageOrInput, checked.error().message);
  if (Status s = checkWritable(options.output); !s)
    return fail(kBadUsageOrInput, fmt::format("{}: {}", options.output, s.error().message));
  const bool isDevice = options.target == "device";
  Result<TargetProfile> target = isDevice ? loadDeviceTarget("") : loadTarget(options.target);
  if (!target) return fail(isDevice ? kNoDevice : kBadUsageOrInput, target.error().message);
  setDefaultIsolation({kPreparationTime, 0, true});
  return LintRun(options, std::move(*target)).run();
}

} // namespace lanewise::driver
