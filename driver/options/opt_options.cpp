#include "options/opt_options.h"

#include "input/scenario_inputs.h"
#include "options/option_values.h"
#include "support/suggest.h"
#include "targets/target_profiles.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>

namespace lanewise::driver {

namespace {

Error errorOf(std::string message) {
  return {std::move(message), {}, 0, {}};
}

/// What CLI11 collects before it is checked.
struct RawOptions {
  std::string kind, targetEnv, remarks = "text", keepIf = "equal", workgroupSize;
  std::vector<std::string> defines, specConstants, only, skip, narrow;
  IsolationOptions isolation;
};

void declareInputAndOutput(CLI::App& app, OptOptions& o, RawOptions& raw) {
  const char* group = "Input and output";
  app.add_option("INPUT", o.inputs,
                 ".spv, .spvasm, .comp/.glsl (or another stage's extension), .hlsl, or -")
      ->type_name("SHADER")
      ->group(group);
  app.add_option("-o,--output", o.output,
                 "output file, - for standard output; a folder for several inputs")
      ->type_name("FILE")
      ->group(group);
  app.add_flag("-S", o.asText, "write SPIR-V assembly")->group(group);
  app.add_flag("-g", o.keepLines, "keep the line information of compiled source")->group(group);
  declareSourceOptions(app, group, {raw.kind, o.load.includeDirs, raw.defines, o.load.entry},
                       "entry point (of HLSL: the function to compile)");
  app.add_option("--target-env", raw.targetEnv,
                 "environment to compile for and validate in, such as vulkan1.1 or spv1.3")
      ->type_name("ENV")
      ->group(group);
  app.add_flag("--diff", o.wantsDiff, "print what changed as a unified diff of the assembly")
      ->group(group);
  app.add_flag("--write-dependencies", o.writesDepfile, "-MD: write a depfile")->group(group);
  app.add_option("--dependency-file", o.depfile, "-MF: its name (default: OUT.d)")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--dependency-target", o.depTarget, "-MT: what it says is made (default: OUT)")
      ->type_name("NAME")
      ->group(group);
  app.add_flag("--write-if-changed", o.writesIfChanged,
               "leave output files alone that would become what they are")
      ->group(group);
}

void declareTarget(CLI::App& app, OptOptions& o, RawOptions& raw) {
  const char* group = "What the passes may assume";
  app.add_option("--target", o.targetName,
                 fmt::format("{}, device, or FILE.toml", fmt::join(builtInTargets(), ", ")))
      ->type_name("TARGET")
      ->group(group);
  app.add_option("--spec-const", raw.specConstants, "value of a specialization constant")
      ->type_name("ID:VALUE")
      ->allow_extra_args(false)
      ->group(group);
  app.add_option("--workgroup-size", raw.workgroupSize, "workgroup size that is not literal")
      ->type_name("X,Y,Z")
      ->group(group);
  app.add_flag("--robust", o.pipeline.isRobust,
               "change layouts only where every index is proved to be in range")
      ->group(group);
}

void declarePipeline(CLI::App& app, OptOptions& o, RawOptions& raw) {
  const char* group = "Pipeline";
  app.add_option("--only", raw.only, "let PASS rewrite only sites that match")
      ->type_name("PASS:GLOB")
      ->allow_extra_args(false)
      ->group(group);
  app.add_option("--skip", raw.skip, "let PASS rewrite no site that matches")
      ->type_name("PASS:GLOB")
      ->allow_extra_args(false)
      ->group(group);
  app.add_option("--bisect-limit", o.pipeline.bisectLimit,
                 "allow the first N rewrites only, and list them")
      ->type_name("N")
      ->group(group);
  app.add_option("--narrow-fields", raw.narrow,
                 "pack 32-bit integers of structs that fit; the host must follow")
      ->type_name("BUFFER.FIELD:BITS,...")
      ->allow_extra_args(false)
      ->group(group);
  app.add_flag("--strict", o.pipeline.strict, "write nothing when any pass fails")->group(group);
  app.add_flag("--preserve-bindings", o.pipeline.preserveBindings,
               "keep unused descriptors in every spirv-opt pass")
      ->group(group);
  app.add_flag("--preserve-spec-constants", o.pipeline.preserveSpecConstants,
               "keep unused specialization constants in every spirv-opt pass")
      ->group(group);
  app.add_flag("--validate-after-all", o.pipeline.validateAfterAll,
               "validate after every single pass")
      ->group(group);
  app.add_option("--print-before", o.pipeline.printBefore, "print the module before this pass")
      ->type_name("FLAG")
      ->allow_extra_args(false)
      ->group(group);
  app.add_option("--print-after", o.pipeline.printAfter, "print the module after this pass")
      ->type_name("FLAG")
      ->allow_extra_args(false)
      ->group(group);
  app.add_flag("--print-all", o.pipeline.printAll, "print the module before and after every pass")
      ->group(group);
  app.add_flag("--time-report", o.pipeline.hasTimeReport, "print the time of every pass")
      ->group(group);
  app.add_flag("--stats", o.hasStats, "print counts of rewrites and sizes")->group(group);
  declareIsolationOptions(app, group, raw.isolation);
}

void declareReports(CLI::App& app, OptOptions& o, RawOptions& raw) {
  const char* group = "Remarks and verification";
  app.add_option("--remarks", raw.remarks, "how sites that passes looked at are reported")
      ->type_name("text|json|warnings|none")
      ->group(group);
  app.add_option("--remarks-file", o.remarksFile, "where remarks go (default: standard error)")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--html", o.html, "one page of what changed, what was compared, and times")
      ->type_name("FILE.html")
      ->group(group);
  app.add_option("--layout-manifest", o.layoutManifest,
                 "with --aos-to-soa: where it is told how the host must lay out its buffers")
      ->type_name("FILE.json")
      ->group(group);
  app.add_flag("--verify", o.verify, "dispatch the input and the result, and keep only what agrees")
      ->group(group);
  app.add_flag("--require-verified", o.requiresVerified,
               "write the input when the result is not verified")
      ->group(group);
  declareCoverageOption(app, group, o.requiresCoverage);
  app.add_option("--scenario", o.scenario, "what to dispatch, and constants to assume")
      ->type_name("FILE.toml")
      ->group(group);
  app.add_option("--size", o.scenarioSize, "take the parameters of [sizes.NAME] of the scenario")
      ->type_name("NAME")
      ->group(group);
  app.add_option("--keep-if", raw.keepIf, "what a pass must be to stay")
      ->type_name("equal|faster")
      ->group(group);
  app.add_option(
         "--device", o.device,
         "device to verify on and for --target=device: a number of `lanewise devices`, or cpu")
      ->type_name("DEVICE")
      ->group(group);
  app.add_flag("--validation-layer", o.validationLayer, "verify under the Khronos validation layer")
      ->group(group);
  app.add_flag("--no-timing{false}", o.hasTiming, "with --verify: compare, but do not time")
      ->group(group);
  app.add_flag("--no-interpreter{false}", o.interpreter.checksBesideDevice,
               "with --verify: do not look for races with the interpreter as well")
      ->group(group);
  app.add_option("--interpreter-budget", o.interpreter.budgetSeconds,
                 "with --verify: about how many seconds the interpreter may take for each "
                 "comparison (default 3)")
      ->type_name("SECONDS")
      ->group(group);
  app.add_option("--subgroup-size", o.interpreter.subgroupSize,
                 "with --verify: lanes of a subgroup in the interpreter (default 32)")
      ->type_name(kSubgroupSizes)
      ->group(group);
}

std::string nameOf(const OptionsOfCommand* command) {
  return "lanewise " + (command ? command->command : "opt");
}
std::string aboutOf(const OptionsOfCommand* command) {
  return command ? command->description : "Optimizes SPIR-V modules, GLSL and HLSL shaders.";
}

/// opt's options, or `command`'s with them.
void declare(CLI::App& app, OptOptions& o, RawOptions& raw, const OptionsOfCommand* command) {
  app.get_formatter()->column_width(34);
  declareInputAndOutput(app, o, raw);
  if (command) {
    app.get_option("INPUT")->description(command->input);
    app.get_option("--output")->description(command->output);
    command->declare(app);
  }
  declareTarget(app, o, raw);
  declarePipeline(app, o, raw);
  declareReports(app, o, raw);
}

/// Two letters behind one dash, as compilers have it; CLI11 would read them as two options.
constexpr std::pair<std::string_view, std::string_view> kTwoLetters[] = {
    {"-MD", "--write-dependencies"}, {"-MF", "--dependency-file"}, {"-MT", "--dependency-target"}};

std::string helpText(CLI::App& app) {
  std::string text = app.help();
  text += "\nPasses, in the order in which they stand on the command line:\n"
          "  -O                           the standard pipeline (`lanewise passes` prints it)\n"
          "  -Os                          spirv-opt's passes for size\n";
  for (const PassInfo& pass : allPasses()) {
    std::string flag = fmt::format("--{}{}", pass.flag,
                                   pass.values.empty() ? "" : fmt::format("[={}]", pass.values));
    text += fmt::format("  {:<28} {}\n", flag, pass.summary);
  }
  text += "  --FLAG                       any pass of the installed spirv-opt\n";
  return text;
}

/// What an argument that starts with a dash is to us.
class ArgumentSplitter {
public:
  ArgumentSplitter(const CLI::App& app, std::vector<PipelineStep>& steps)
      : app_(app), steps_(steps) {}

  /// The arguments that are left for CLI11.
  Result<std::vector<std::string>> split(std::span<char*> args) {
    std::vector<std::string> rest;
    for (size_t i = 0; i < args.size(); ++i) {
      std::string arg = args[i];
      if (arg == "--") {
        rest.insert(rest.end(), args.begin() + ptrdiff_t(i), args.end());
        break;
      }
      if (arg == "-O") {
        std::vector<PipelineStep> standard = standardPipeline();
        steps_.insert(steps_.end(), standard.begin(), standard.end());
        continue;
      }
      for (const auto& [letters, name] : kTwoLetters)
        if (arg == letters) arg = name;
      if (arg.size() < 2 || arg[0] != '-' || isOption(arg)) {
        rest.push_back(arg);
        // The option's own value is not ours to look at.
        if (takesNext(arg) && i + 1 < args.size()) rest.emplace_back(args[++i]);
        continue;
      }
      Result<std::optional<PipelineStep>> step = parseStep(arg);
      if (!step) return step.error();
      if (!*step) return unknown(arg);
      steps_.push_back(std::move(**step));
    }
    return rest;
  }

private:
  static std::string nameOf(const std::string& arg) {
    // "-Idir" is the option -I; "--target=x" is --target.
    return arg[1] == '-' ? arg.substr(0, arg.find('=')) : arg.substr(0, 2);
  }
  const CLI::Option* optionOf(const std::string& arg) const {
    return app_.get_option_no_throw(nameOf(arg));
  }
  bool isOption(const std::string& arg) const { return arg != "-Os" && optionOf(arg) != nullptr; }
  bool takesNext(const std::string& arg) const {
    if (arg.size() < 2 || arg[0] != '-') return false;
    const CLI::Option* option = optionOf(arg);
    bool hasValue = arg.size() > nameOf(arg).size();
    return option && !hasValue && option->get_items_expected_min() > 0;
  }

  Error unknown(const std::string& arg) const {
    std::string name = arg.substr(0, arg.find('='));
    // A flag that exists with another value deserves to be told so.
    for (const std::string& flag : knownSpirvOptFlags())
      if (flag == name) {
        std::string why;
        acceptsSpirvOptFlag(arg, &why);
        return errorOf(fmt::format("spirv-opt does not take {}: {}", arg, why));
      }
    std::vector<std::string> known{"-O", "-Os"};
    for (const PassInfo& pass : allPasses()) known.push_back("--" + std::string(pass.flag));
    for (const CLI::Option* option : app_.get_options())
      for (const std::string& longName : option->get_lnames()) known.push_back("--" + longName);
    for (const std::string& flag : knownSpirvOptFlags()) known.push_back(flag);
    std::string near = nearest(name, known);
    return errorOf(fmt::format(
        "unknown option '{}'; {}", name,
        near.empty() ? fmt::format("see '{} --help' and 'lanewise passes'", app_.get_name())
                     : fmt::format("did you mean '{}'?", near)));
  }

  const CLI::App& app_;
  std::vector<PipelineStep>& steps_;
};

Result<SiteFilter> parseSiteFilter(const std::string& option, const std::string& text) {
  size_t colon = text.find(':');
  if (colon == std::string::npos || colon + 1 == text.size())
    return errorOf(
        fmt::format("{}={} must be PASS:GLOB, such as pad-shared-memory:tile*", option, text));
  SiteFilter filter{text.substr(0, colon), text.substr(colon + 1)};
  if (findPass(filter.pass)) return filter;
  std::vector<std::string> known;
  for (const PassInfo& pass : allPasses()) known.emplace_back(pass.flag);
  std::string near = nearest(filter.pass, known);
  return errorOf(fmt::format("{}={}: no Lanewise pass '{}'; {}", option, text, filter.pass,
                             near.empty() ? "see 'lanewise passes'"
                                          : fmt::format("did you mean '{}'?", near)));
}

Status checkSiteFilters(const RawOptions& raw, OptOptions& o) {
  for (const std::string& text : raw.only) {
    Result<SiteFilter> f = parseSiteFilter("--only", text);
    if (!f) return f.error();
    o.pipeline.only.push_back(*f);
  }
  for (const std::string& text : raw.skip) {
    Result<SiteFilter> f = parseSiteFilter("--skip", text);
    if (!f) return f.error();
    o.pipeline.skip.push_back(*f);
  }
  return ok();
}

Status checkLoading(const RawOptions& raw, OptOptions& o) {
  if (!raw.kind.empty()) {
    o.load.kind = parseInputKind(raw.kind);
    if (!o.load.kind)
      return errorOf(fmt::format("-x {}: unknown kind; it is spv, spvasm, glsl or hlsl", raw.kind));
  }
  if (!raw.targetEnv.empty()) {
    Result<spv_target_env> env = parseTargetEnv(raw.targetEnv);
    if (!env) return errorOf("--target-env: " + env.error().message);
    o.load.env = *env;
  }
  for (const std::string& define : raw.defines) {
    size_t equals = define.find('=');
    std::string name = define.substr(0, equals);
    if (name.empty()) return errorOf(fmt::format("-D {}: a macro needs a name", define));
    o.load.defines.emplace_back(name,
                                equals == std::string::npos ? "1" : define.substr(equals + 1));
  }
  return ok();
}

Status checkAssumptions(const RawOptions& raw, OptOptions& o) {
  for (const std::string& text : raw.specConstants) {
    Result<std::pair<uint32_t, uint64_t>> constant = parseSpecConstant(text);
    if (!constant) return constant.error();
    o.pipeline.assumptions.specConstants[constant->first] = constant->second;
  }
  if (raw.workgroupSize.empty()) return ok();
  Result<std::array<uint32_t, 3>> size = parseWorkgroupSize(raw.workgroupSize);
  if (!size) return size.error();
  o.pipeline.assumptions.workgroupSize = *size;
  return ok();
}

Status checkChoices(const RawOptions& raw, OptOptions& o) {
  if (raw.remarks == "text")
    o.remarks = RemarkFormat::Text;
  else if (raw.remarks == "json")
    o.remarks = RemarkFormat::Json;
  else if (raw.remarks == "warnings")
    o.remarks = RemarkFormat::Warnings;
  else if (raw.remarks == "none")
    o.remarks = RemarkFormat::None;
  else
    return errorOf(fmt::format("--remarks={}: it is text, json, warnings or none", raw.remarks));
  if (raw.keepIf == "faster")
    o.keepIf = KeepIf::Faster;
  else if (raw.keepIf != "equal")
    return errorOf(fmt::format("--keep-if={}: it is equal or faster", raw.keepIf));
  Result<IsolationLimits> isolation = isolationLimitsOf(raw.isolation);
  if (!isolation) return isolation.error();
  o.isolation = *isolation;
  if (Status s = checkInterpreterOptions(o.interpreter); !s) return s;
  if (o.pipeline.bisectLimit < -1)
    return errorOf("--bisect-limit must be -1 (no limit) or a count");
  if (!o.scenarioSize.empty() && o.scenario.empty())
    return errorOf("--size speaks of a scenario; give --scenario=FILE.toml");
  // Each of these has no meaning without dispatching.
  o.requiresVerified = o.requiresVerified || o.requiresCoverage;
  o.verify = o.verify || o.requiresVerified || o.keepIf == KeepIf::Faster;
  return ok();
}

/// One of the values of --narrow-fields, "BUFFER.FIELD:BITS": a field may have dots.
Result<NarrowRequest> parseNarrowRequest(const std::string& text) {
  const Error bad = errorOf(fmt::format("--narrow-fields={} must be BUFFER.FIELD:BITS with 1 to 31 "
                                        "bits, such as cells.age:7",
                                        text));
  const size_t dot = text.find('.'), colon = text.rfind(':');
  if (dot == std::string::npos || colon == std::string::npos || dot == 0 || colon <= dot + 1)
    return bad;
  NarrowRequest request{text.substr(0, dot), text.substr(dot + 1, colon - dot - 1), 0};
  const char* end = text.data() + text.size();
  auto [next, error] = std::from_chars(text.data() + colon + 1, end, request.bits);
  if (error != std::errc() || next != end || request.bits < 1 || request.bits > 31) return bad;
  return request;
}

Status checkNarrowing(const RawOptions& raw, OptOptions& o) {
  for (const std::string& list : raw.narrow)
    for (size_t at = 0; at <= list.size();) {
      const size_t comma = std::min(list.find(',', at), list.size());
      Result<NarrowRequest> request = parseNarrowRequest(list.substr(at, comma - at));
      if (!request) return request.error();
      for (const NarrowRequest& other : o.pipeline.narrow)
        if (other.buffer == request->buffer && other.field == request->field)
          return errorOf(
              fmt::format("--narrow-fields: {}.{} stands there twice", other.buffer, other.field));
      o.pipeline.narrow.push_back(std::move(*request));
      at = comma + 1;
    }
  // Alone it changes nothing else of the layout, and comes last.
  const PassInfo* pass = findPass("aos-to-soa");
  const bool hasStep = std::any_of(o.steps.begin(), o.steps.end(),
                                   [&](const PipelineStep& s) { return s.pass == pass; });
  if (!o.pipeline.narrow.empty() && !hasStep)
    o.steps.push_back({"--narrow-fields", pass, "keep", false});
  return ok();
}

/// Names of --print-before and --print-after that can never match are mistakes.
Status checkPrintNames(const OptOptions& o) {
  for (const auto* names : {&o.pipeline.printBefore, &o.pipeline.printAfter})
    for (const std::string& name : *names) {
      std::vector<std::string> known;
      for (const PipelineStep& step : o.steps) known.emplace_back(step.name());
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      std::string near = nearest(name, known);
      return errorOf(fmt::format("no pass '{}' to print in this pipeline{}", name,
                                 near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
    }
  return ok();
}

/// All shaders of a scenario as one program.
Status checkProgram(const OptOptions& o) {
  if (o.output.empty() || o.output == "-")
    return errorOf("a scenario without INPUT needs -o FOLDER for its shaders");
  if (o.writesDepfile || !o.depfile.empty() || !o.depTarget.empty())
    return errorOf("-MD speaks of one output; give an INPUT");
  if (o.pipeline.bisectLimit >= 0)
    return errorOf("--bisect-limit counts in one module; give an INPUT");
  if (o.load.kind || !o.load.entry.empty())
    return errorOf(
        "-x and --entry speak of INPUT; the scenario names its shaders' files and entries");
  return ok();
}

Status checkLayouts(const OptOptions& o) {
  const auto count = std::count_if(o.steps.begin(), o.steps.end(), [](const PipelineStep& s) {
    return s.pass && s.pass->flag == "aos-to-soa";
  });
  if (count > 1) return errorOf("--aos-to-soa may stand there once: a layout is changed once");
  if (o.layoutManifest.empty()) return ok();
  if (count == 0) return errorOf("--layout-manifest goes with --aos-to-soa or --narrow-fields");
  if (o.inputs.size() > 1)
    return errorOf("--layout-manifest names one file; several inputs are one program only in a "
                   "scenario (--scenario without INPUT)");
  return ok();
}

Status checkOutputs(OptOptions& o) {
  if (Status s = checkLayouts(o); !s) return s;
  if (o.html == "-")
    return errorOf("--html needs a file; standard output is for modules and differences");
  if (o.isProgram()) return checkProgram(o);
  if (o.inputs.empty())
    return errorOf("no input; give a file, - for standard input, or --scenario=FILE.toml for all "
                   "shaders of a program");
  if (std::count(o.inputs.begin(), o.inputs.end(), ""))
    return errorOf("the name of an input is empty");
  if (o.inputs.size() > 1 && std::find(o.inputs.begin(), o.inputs.end(), "-") != o.inputs.end())
    return errorOf("standard input (-) must be the only input");
  if (o.inputs.size() > 1 && o.output.empty() && !o.wantsDiff)
    return errorOf("several inputs need -o FOLDER");
  if (o.inputs.size() > 1 && o.output == "-")
    return errorOf("several inputs cannot share standard output");
  if (o.wantsDiff && o.output == "-")
    return errorOf("--diff and -o - both write to standard output");
  if (!o.depfile.empty() || !o.depTarget.empty()) o.writesDepfile = true;
  if (o.writesDepfile && (o.output.empty() || o.output == "-"))
    return errorOf("-MD needs -o FILE: a depfile names the output");
  if (o.writesDepfile && !o.depfile.empty() && o.inputs.size() > 1)
    return errorOf("-MF names one depfile; with several inputs leave it out, each gets OUT.d");
  if (!o.depTarget.empty() && o.inputs.size() > 1)
    return errorOf("-MT names one output; with several inputs leave it out");
  if (o.output.ends_with(".spvasm")) o.asText = true;
  return ok();
}

} // namespace

std::vector<OptionDescription> describePasses() {
  const std::string ours = "Passes, in the order in which they stand on the command line";
  const std::string theirs = "Passes of spirv-opt, anywhere between them";
  std::vector<OptionDescription> flags{
      {{"-O"}, {}, {}, ours, "the standard pipeline (`lanewise passes` prints it)", false, true},
      {{"-Os"}, {}, {}, ours, "spirv-opt's passes for size", false, true}};
  for (const PassInfo& pass : allPasses())
    flags.push_back({{"--" + std::string(pass.flag)},
                     {},
                     std::string(pass.values),
                     ours,
                     std::string(pass.summary),
                     true,
                     true});
  const auto known = knownSpirvOptFlags();
  auto add = [&](const std::string& flag, bool hasValue) {
    if (std::find(known.begin(), known.end(), flag) != known.end())
      flags.push_back({{flag}, {}, hasValue ? "VALUE" : "", theirs, {}, false, true});
  };
#define SPIRV_OPT_FLAG(name, value) add("--" name, *value != 0);
#include "support/spirv_opt_flags.def"
#undef SPIRV_OPT_FLAG
  return flags;
}

CommandDescription describeOptionsOf(const OptionsOfCommand* command,
                                     std::vector<CommandExample> examples) {
  OptOptions o;
  RawOptions raw;
  CLI::App app(aboutOf(command), nameOf(command));
  declare(app, o, raw, command);
  CommandDescription d = describe(app, std::move(examples));
  for (OptionDescription& option : d.options)
    for (const auto& [letters, name] : kTwoLetters)
      if (option.names == std::vector<std::string>{std::string(name)}) {
        option.names.insert(option.names.begin(), std::string(letters));
        option.text.erase(0, letters.size() + 2); // "-MD: "
      }
  for (OptionDescription& flag : describePasses()) d.options.push_back(std::move(flag));
  return d;
}

std::vector<CommandDescription> describeOpt() {
  return {describeOptionsOf(
      nullptr,
      {{"Optimize a shader with the standard pipeline.", "lanewise opt -O tile.comp -o tile.spv"},
       {"Keep only what gives equal outputs with the inputs that a scenario describes.",
        "lanewise opt -O --verify --scenario=scenario.toml tile.comp -o tile.spv"},
       {"Run single passes, and look at what they changed.",
        "lanewise opt --ssa-rewrite --pad-shared-memory --diff tile.comp -o tile.spv"},
       {"Optimize for one GPU, and write a depfile for make or Ninja.",
        "lanewise opt -O --target=nvidia -MD tile.comp -o tile.spv"}})};
}

namespace {

/// Options that say where something is written, not what.
constexpr std::string_view kPlaces[] = {"--output",
                                        "--remarks-file",
                                        "--write-dependencies",
                                        "--dependency-file",
                                        "--dependency-target",
                                        "--layout-manifest",
                                        "--write-if-changed",
                                        "--html"};

std::vector<std::string> givenOptions(const CLI::App& app, const OptOptions& o,
                                      const std::string& ownGroup) {
  std::vector<std::string> given;
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name(false, true);
    const bool isPlace =
        std::any_of(std::begin(kPlaces), std::end(kPlaces),
                    [&](std::string_view place) { return option->check_name(std::string(place)); });
    if (option->count() == 0 || option->get_positional() || isPlace ||
        (!ownGroup.empty() && option->get_group() == ownGroup))
      continue;
    for (const std::string& value : option->results()) given.insert(given.end(), {name, value});
  }
  for (const PipelineStep& step : o.steps)
    given.insert(given.end(), {step.keepInterface ? "pass of -O" : "pass", step.flag});
  return given;
}

/// -o must be given, and what speaks of one output is refused.
Status checkForFolders(const OptOptions& o, const OptionsOfCommand& command) {
  if (Status s = checkLayouts(o); !s) return s;
  if (o.html == "-") return errorOf("--html needs a file");
  if (o.inputs.size() != 1 || o.inputs.front().empty())
    return errorOf(fmt::format("{} input; give one: {}", o.inputs.empty() ? "no" : "more than one",
                               command.input));
  if (o.output.empty() || o.output == "-") return errorOf("no output; give -o FOLDER");
  if (!o.depfile.empty() || !o.depTarget.empty())
    return errorOf("-MF and -MT speak of one output; leave them out: each output gets OUT.d");
  if (!o.layoutManifest.empty())
    return errorOf("--layout-manifest names one file, for one program; use 'lanewise opt'");
  return ok();
}

Result<ParsedOptions> parse(const OptionsOfCommand* command, std::span<char*> args) {
  OptOptions o;
  RawOptions raw;
  CLI::App app(aboutOf(command), nameOf(command));
  declare(app, o, raw, command);

  Result<std::vector<std::string>> rest = ArgumentSplitter(app, o.steps).split(args);
  if (!rest) return rest.error();
  if (Status s = checkOptionValues(app, *rest); !s) return s.error();
  std::reverse(rest->begin(), rest->end()); // CLI11 takes arguments from the back
  try {
    app.parse(*rest);
  } catch (const CLI::CallForHelp&) {
    return ParsedOptions{{}, helpText(app), {}};
  } catch (const CLI::ParseError& e) {
    return errorOf(fmt::format("{}; see '{} --help'", e.what(), app.get_name()));
  }
  for (Status s : {checkLoading(raw, o), checkAssumptions(raw, o), checkSiteFilters(raw, o),
                   checkNarrowing(raw, o), checkChoices(raw, o), checkPrintNames(o),
                   command ? checkForFolders(o, *command) : checkOutputs(o)})
    if (!s) return s.error();
  std::vector<std::string> given = givenOptions(app, o, command ? command->group : "");
  return ParsedOptions{std::move(o), {}, std::move(given)};
}

} // namespace

Result<ParsedOptions> parseOptOptions(std::span<char*> args) {
  return parse(nullptr, args);
}

Result<ParsedOptions> parseOptionsOf(const OptionsOfCommand& command, std::span<char*> args) {
  return parse(&command, args);
}

} // namespace lanewise::driver
