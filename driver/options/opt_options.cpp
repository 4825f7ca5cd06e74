#include "options/opt_options.h"

#include "options/assume_option.h"
#include "options/option_groups.h"
#include "options/response_file.h"
#include "support/failure.h"
#include "support/files.h"
#include "support/print.h"
#include "support/suggest.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>

namespace lanewise::driver {

namespace {

// ---- passes ----

/// The flags of passes.
std::vector<OptionDescription> describePasses() {
  const std::string ours = "Passes, in the order in which they stand on the command line";
  const std::string theirs = "Passes of spirv-opt, anywhere between them";
  std::vector<OptionDescription> flags{
      {{"-O"}, {}, {}, ours, "the standard pipeline (`lanewise passes` prints it)", false, true},
      {{"-O=spirv-opt"},
       {},
       {},
       ours,
       "the same with spirv-opt's passes around Lanewise's",
       false,
       true},
      {{"-Os"}, {}, {}, ours, "the canonical passes, for size", false, true},
      {{"-Os=spirv-opt"}, {}, {}, ours, "spirv-opt's passes for size", false, true},
      {{"-Oconfig"}, {}, "FILE", ours, "the flags in this file", false, true}};
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

std::string helpOfPasses() {
  std::string text = "\nPasses, in the order in which they stand on the command line:\n";
  // As options above: what a long flag does stands below it.
  auto add = [&](std::string_view flag, std::string_view about) {
    text += flag.size() < 32 ? fmt::format("  {:<32}{}\n", flag, about)
                             : fmt::format("  {}\n{:34}{}\n", flag, "", about);
  };
  add("-O", "the standard pipeline (`lanewise passes` prints it)");
  add("-O=spirv-opt", "the same with spirv-opt's passes around Lanewise's");
  add("-Os", "the canonical passes, for size");
  add("-Os=spirv-opt", "spirv-opt's passes for size");
  add("-Oconfig=FILE", "the flags in FILE");
  for (const PassInfo& pass : allPasses()) {
    std::string flag = fmt::format("--{}{}", pass.flag,
                                   pass.values.empty() ? "" : fmt::format("[={}]", pass.values));
    add(flag, pass.summary);
  }
  add("--FLAG", "any pass of the installed spirv-opt");
  return text;
}

Result<bool> takePass(std::vector<PipelineStep>& steps, const std::string& argument);

/// spirv-opt's -Oconfig=FILE.
Result<bool> takeConfig(std::vector<PipelineStep>& steps, const std::string& argument) {
  const std::string file = argument.substr(std::min(argument.find('='), argument.size() - 1) + 1);
  if (file.empty()) return failure("-Oconfig needs a file: -Oconfig=FILE");
  Result<std::string> text = readFile(file);
  if (!text) return failure(fmt::format("{}: {}", file, text.error().message));
  keepFile(file);
  for (const std::string& flag : splitConfig(*text)) {
    Result<bool> isTaken = takePass(steps, flag);
    if (!isTaken) return isTaken.error();
    if (!*isTaken) return failure(fmt::format("{}: no pass '{}'", file, flag));
  }
  return true;
}

/// Adds what a flag stands for to the pipeline, if it is one of a pass.
Result<bool> takePass(std::vector<PipelineStep>& steps, const std::string& argument) {
  Result<std::vector<PipelineStep>> parsed = parseSteps(argument);
  if (!parsed) return parsed.error();
  if (!parsed->empty()) {
    appendSteps(steps, std::move(*parsed));
    return true;
  }
  // A flag that exists with another value deserves to be told so.
  const std::string name = argument.substr(0, argument.find('='));
  if (name == "-Oconfig") return takeConfig(steps, argument);
  if (name == "-O") return failure(fmt::format("{}: -O takes no value but spirv-opt", argument));
  for (const std::string& flag : knownSpirvOptFlags())
    if (flag == name) {
      std::string why;
      acceptsSpirvOptFlag(argument, &why);
      return failure(fmt::format("spirv-opt does not take {}: {}", argument, why));
    }
  return false;
}

Result<SiteFilter> parseSiteFilter(const std::string& option, const std::string& text) {
  size_t colon = text.find(':');
  if (colon == std::string::npos || colon + 1 == text.size())
    return failure(
        fmt::format("{}={} must be PASS:GLOB, such as pad-shared-memory:tile*", option, text));
  SiteFilter filter{text.substr(0, colon), text.substr(colon + 1)};
  if (findPass(filter.pass)) return filter;
  std::vector<std::string> known;
  for (const PassInfo& pass : allPasses()) known.emplace_back(pass.flag);
  return failure(fmt::format("{}={}: no Lanewise pass '{}'{}", option, text, filter.pass,
                             didYouMean(filter.pass, known, "see 'lanewise passes'")));
}

OptionSetter siteFilters(const char* option, std::vector<SiteFilter>& filters) {
  return [option, &filters](const std::string& text) -> Status {
    Result<SiteFilter> filter = parseSiteFilter(option, text);
    if (!filter) return filter.error();
    filters.push_back(std::move(*filter));
    return ok();
  };
}

/// One of the values of --narrow-fields, "BUFFER.FIELD:BITS": a field may have dots.
Result<NarrowRequest> parseNarrowRequest(const std::string& text) {
  const Error bad = failure(fmt::format("--narrow-fields={} must be BUFFER.FIELD:BITS with 1 to 31 "
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

/// A list of them.
Status addNarrowRequests(const std::string& list, std::vector<NarrowRequest>& requests) {
  for (size_t at = 0; at <= list.size();) {
    const size_t comma = std::min(list.find(',', at), list.size());
    Result<NarrowRequest> request = parseNarrowRequest(list.substr(at, comma - at));
    if (!request) return request.error();
    for (const NarrowRequest& other : requests)
      if (other.buffer == request->buffer && other.field == request->field)
        return failure(
            fmt::format("--narrow-fields: {}.{} is given twice", other.buffer, other.field));
    requests.push_back(std::move(*request));
    at = comma + 1;
  }
  return ok();
}

/// Alone it changes nothing else of the layout, and comes last.
void addNarrowingStep(OptOptions& o) {
  const PassInfo* pass = findPass("aos-to-soa");
  const bool hasStep = std::any_of(o.steps.begin(), o.steps.end(),
                                   [&](const PipelineStep& s) { return s.pass == pass; });
  if (!o.pipeline.narrow.empty() && !hasStep)
    o.steps.push_back({"--narrow-fields", pass, "keep", false});
}

/// Names of --print-before and --print-after that can never match are mistakes.
Status checkPrintNames(const OptOptions& o) {
  for (const auto* names : {&o.pipeline.printBefore, &o.pipeline.printAfter})
    for (const std::string& name : *names) {
      std::vector<std::string> known;
      for (const PipelineStep& step : o.steps) known.emplace_back(step.name());
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      return failure(
          fmt::format("no pass '{}' to print in this pipeline{}", name, didYouMean(name, known)));
    }
  return ok();
}

/// --remarks. "text" and "json" are all remarks in that form, from when there were no others.
Status setRemarks(const std::string& value, OptOptions& o) {
  if (value == "json") o.format = ReportFormat::Json;
  if (value == "json" || value == "text") {
    o.remarks = RemarkFilter::All;
    return ok();
  }
  constexpr std::pair<std::string_view, RemarkFilter> kFilters[] = {
      {"all", RemarkFilter::All},
      {"applied", RemarkFilter::Applied},
      {"missed", RemarkFilter::Missed},
      {"warnings", RemarkFilter::Warnings},
      {"none", RemarkFilter::None}};
  for (const auto& [name, filter] : kFilters)
    if (name == value) {
      o.remarks = filter;
      return ok();
    }
  return failure(fmt::format("--remarks={}: it is all, applied, missed, warnings or none", value));
}

// ---- groups ----

void declareAssumptions(CommandLine& line, OptOptions& o) {
  line.group("What the passes may assume");
  addTargetOption(line, o.targetName);
  addAssumptionOptions(line, o.pipeline.assumptions, o.constants);
  addAssumeOption(line, o.pipeline.assumptions,
                  "what holds of the inputs of every dispatch: 'push.n % 64 == 0', 'groups.x <= "
                  "4096', 'buffer A.length >= 1024'");
  line.flag("--robust", o.pipeline.isRobust,
            "change layouts only where every index is proved to be in range");
  addPipelinesOption(line, o.pipelines);
  addTuningOptions(line, o.tuning);
  addTuningHostOption(line, o.tuning);
}

void declarePipeline(CommandLine& line, OptOptions& o) {
  line.group("Pipeline");
  line.family({[&o](const std::string& argument) { return takePass(o.steps, argument); },
               describePasses, "'lanewise passes'"});
  line.epilog(helpOfPasses);
  PipelineOptions& p = o.pipeline;
  line.each("--only", "PASS:GLOB", siteFilters("--only", p.only),
            "restrict PASS to the sites that match GLOB");
  line.each("--skip", "PASS:GLOB", siteFilters("--skip", p.skip),
            "exclude the sites that match GLOB from PASS");
  line.value("--bisect-limit", "N", p.bisectLimit,
             "apply only the first N rewrites, and list them");
  line.each(
      "--narrow-fields", "BUFFER.FIELD:BITS,...",
      [&p](const std::string& list) { return addNarrowRequests(list, p.narrow); },
      "store integer fields of structs in fewer bits; the host must do the same");
  line.flag("--strict", p.strict, "write nothing when any pass fails");
  line.flag("--preserve-bindings", p.preserveBindings,
            "keep unused descriptors in every spirv-opt pass");
  line.flag("--preserve-spec-constants", p.preserveSpecConstants,
            "keep unused specialization constants in every spirv-opt pass");
  line.flag("--validate-after-all", p.validateAfterAll, "validate after every single pass");
  line.each("--print-before", "FLAG", p.printBefore, "print the module before this pass");
  line.each("--print-after", "FLAG", p.printAfter, "print the module after this pass");
  line.flag("--print-all", p.printAll, "print the module before and after every pass");
  line.flag("--time-report", p.hasTimeReport, "print the time of every pass");
  line.flag("--stats", o.hasStats, "print counts of rewrites and sizes");
  addValidationOptions(line, o.validation);
  addIsolationOptions(line, o.isolation);
  line.check([&o]() -> Status {
    if (o.pipeline.bisectLimit < -1)
      return failure("--bisect-limit must be -1 (no limit) or a count");
    addNarrowingStep(o);
    return checkPrintNames(o);
  });
}

OptionSetter setKeepIf(OptOptions& o) {
  return [&o](const std::string& value) -> Status {
    constexpr std::string_view kCheaper = "cheaper:";
    o.gateCompilers = value == "cheaper" ? "default" : "";
    if (!value.starts_with(kCheaper))
      return choice("--keep-if", o.keepIf, {"equal", "faster", "cheaper"})(value);
    o.keepIf = KeepIf::Cheaper;
    o.gateCompilers = value.substr(kCheaper.size());
    if (o.gateCompilers.empty())
      return failure("--keep-if=cheaper: names no compiler; leave the ':' out for the default");
    return ok();
  };
}

void declareReports(CommandLine& line, OptOptions& o) {
  line.group("Remarks and verification");
  line.value(
      "--remarks", "all|applied|missed|warnings|none",
      [&o](const std::string& value) { return setRemarks(value, o); },
      "which remarks to print (default: a line per rewrite, and how many were not made)");
  line.value("--format", "text|json", choice("--format", o.format, {"text", "json"}),
             "form of remarks; json prints all of them unless --remarks says otherwise");
  line.flag("-q,--quiet", o.isQuiet, "print warnings, errors and differences only");
  line.value("--remarks-file", "FILE", o.remarksFile, "where remarks go (default: standard error)")
      .output();
  line.value("--html", "FILE.html", o.html,
             "one page of what changed, what was compared, and times")
      .output();
  line.value("--layout-manifest", "FILE.json", o.layoutManifest,
             "with --aos-to-soa: write the buffer layouts that the host must use")
      .output();
  line.flag("--verify", o.verify, "dispatch the input and the result, and keep only what agrees");
  addRequirementOptions(line, o.requiresVerified, o.verification.requiresCoverage,
                        "write the input when the result is not verified");
  addScenarioOptions(line, o.scenario, "what to dispatch, and constants to assume");
  line.value("--compiler-stats", "COMPILER,...", o.compilerStats,
             "print what drivers' compilers make of the input and of the output; COMPILER as for "
             "--on of `lanewise stats` (default: an AMD GPU of each generation)")
      .alone("default");
  line.value("--keep-if", "equal|faster|cheaper[:COMPILER,...]", setKeepIf(o),
             "keep a pass whose result is equal, or only one that is faster as well; or no rewrite "
             "that a driver's compiler finds dearer (COMPILER as for --compiler-stats)");
  addDeviceOptions(line, o.verification);
  addTimingOption(line, o.verification);
  line.check([&o, &line]() -> Status {
    // Files and programs want everything, those who ask for quiet nothing that is not wrong.
    const bool isForLater = o.format == ReportFormat::Json || !o.remarksFile.empty();
    if (!line.isGiven("--remarks"))
      o.remarks = o.isQuiet ? RemarkFilter::Warnings : isForLater ? RemarkFilter::All : o.remarks;
    // Each of these has no meaning without dispatching.
    o.verify = o.verify || o.requiresVerified || o.keepIf == KeepIf::Faster;
    if (!o.verify && o.targetName != "device" && !line.typed("--device").empty())
      printError("lanewise: warning: --device: nothing runs on it without --verify or "
                 "--target=device\n");
    for (const char* option : {"--only", "--skip"})
      for (std::string& value : line.typed(option)) o.typed.emplace_back(option, std::move(value));
    return ok();
  });
}

// ---- outputs ----

/// All shaders of a scenario as one program.
Status checkProgram(const OptOptions& o) {
  if (o.output.empty() || o.output == "-")
    return failure("a scenario without INPUT needs -o FOLDER for its shaders");
  if (o.depfile.isWanted) return failure("-MD needs a single output; give an INPUT");
  if (o.tuning.isGiven())
    return failure("--tuning is for single modules; give an INPUT, or take what 'lanewise tune' "
                   "wrote beside the file");
  if (o.pipeline.bisectLimit >= 0)
    return failure("--bisect-limit needs a single module; give an INPUT");
  if (o.load.kind || !o.load.entry.empty())
    return failure(
        "-x and --entry apply to INPUT; the scenario gives each shader's file and entry point");
  return ok();
}

/// Several outputs of an input: for each recorded set of constants, or each device.
Status checkSeveralOutputs(const OptOptions& o) {
  if (!o.hasSeveralOutputs()) return ok();
  const char* const flag = o.isPerDevice ? "--per-device" : "--per-pipeline";
  if (o.isPerDevice && o.isPerPipeline)
    return failure("--per-device and --per-pipeline name outputs in two ways; give one of them");
  if (o.isPerPipeline && !o.pipelines.isGiven())
    return failure("--per-pipeline needs --pipelines=FILE.toml");
  if (o.isPerDevice && !o.tuning.isGiven()) return failure("--per-device needs --tuning=FILE.toml");
  if (o.output.empty() || o.output == "-")
    return failure(fmt::format("{} needs -o FOLDER for its outputs", flag));
  if (!o.depfile.path.empty() || !o.depfile.target.empty())
    return failure(
        fmt::format("-MF and -MT name a single output; {} has several, leave them out", flag));
  if (!o.layoutManifest.empty())
    return failure(fmt::format("--layout-manifest names one file; {} has several outputs", flag));
  if (std::find(o.inputs.begin(), o.inputs.end(), "-") != o.inputs.end())
    return failure(fmt::format("{} needs files; standard input is read once", flag));
  return ok();
}

Status checkOutputs(OptOptions& o) {
  if (Status s = checkLayouts(o); !s) return s;
  if (o.html == "-")
    return failure("--html needs a file; standard output is for modules and differences");
  if (o.isProgram()) return checkProgram(o);
  if (Status s = checkSeveralOutputs(o); !s) return s;
  if (Status s = checkInputs(o.inputs, "no input; give a file, - for standard input, or "
                                       "--scenario=FILE.toml for all shaders of a program");
      !s)
    return s;
  if (o.inputs.size() > 1 && o.output.empty() && !o.wantsDiff)
    return failure("several inputs need -o FOLDER");
  if (o.inputs.size() > 1 && o.output == "-")
    return failure("several inputs cannot share standard output");
  if (o.wantsDiff && o.output == "-")
    return failure("--diff and -o - both write to standard output");
  if (o.remarksFile == "-" && o.output == "-")
    return failure("--remarks-file=- and -o - both write to standard output");
  if (o.depfile.isWanted && (o.output.empty() || o.output == "-"))
    return failure("-MD needs -o FILE: a depfile names the output");
  if (o.depfile.isWanted && !o.depfile.path.empty() && o.inputs.size() > 1)
    return failure("-MF names one depfile; with several inputs leave it out, each gets OUT.d");
  if (!o.depfile.target.empty() && o.inputs.size() > 1)
    return failure("-MT names one output; with several inputs leave it out");
  if (o.output.ends_with(".spvasm")) o.asText = true;
  return ok();
}

} // namespace

Status checkLayouts(const OptOptions& o) {
  const auto count = std::count_if(o.steps.begin(), o.steps.end(), [](const PipelineStep& s) {
    return s.pass && s.pass->flag == "aos-to-soa";
  });
  if (count > 1) return failure("--aos-to-soa may be given only once");
  if (o.layoutManifest.empty()) return ok();
  if (count == 0) return failure("--layout-manifest needs --aos-to-soa or --narrow-fields");
  if (o.inputs.size() > 1)
    return failure("--layout-manifest names one file; several inputs are one program only in a "
                   "scenario (--scenario without INPUT)");
  return ok();
}

void declareOptimization(CommandLine& line, OptOptions& o) {
  line.group("Input and output");
  line.flag("-S", o.asText, "write SPIR-V assembly");
  line.flag("--raw-id", o.hasRawIds, "ids in assembly are their numbers, which reading it keeps");
  line.flag("-g", o.keepLines, "keep the line information of compiled source");
  addSourceOptions(line, o.load);
  o.load.isForHost = true;
  addEnvironmentOption(line, o.load);
  line.flag("--diff", o.wantsDiff, "print what changed as a unified diff of the assembly");
  addDepfileOptions(line, o.depfile, true);
  addWriteIfChangedOption(line, o.writesIfChanged);
  declareAssumptions(line, o);
  declarePipeline(line, o);
  declareReports(line, o);
}

void declareOpt(CommandLine& line, OptOptions& o) {
  line.about("Optimizes SPIR-V modules, GLSL and HLSL shaders.");
  line.example("Optimize a shader with the standard pipeline.",
               "lanewise opt -O tile.comp -o tile.spv");
  line.example("Keep only what gives equal outputs with the inputs that a scenario describes.",
               "lanewise opt -O --verify --scenario=scenario.toml tile.comp -o tile.spv");
  line.example("Run single passes, and look at what they changed.",
               "lanewise opt --ssa-rewrite --pad-shared-memory --diff tile.comp -o tile.spv");
  line.example("Optimize for one GPU, and write a depfile for make or Ninja.",
               "lanewise opt -O --target=nvidia -MD tile.comp -o tile.spv");
  line.group("Input and output");
  line.positionals("INPUT", "SHADER", o.inputs,
                   ".spv, .spvasm, .comp/.glsl (or another stage's extension), .hlsl, or -");
  line.value("-o,--output", "FILE", o.output,
             "output file, - for standard output; a folder for several inputs")
      .output();
  line.flag(
      "--per-pipeline", o.isPerPipeline,
      "with --pipelines: an output for each set of constants, which are fixed in it; -o names "
      "a folder");
  line.flag("--per-device", o.isPerDevice,
            "with --tuning: an output for each device of the file, and one for all others; -o "
            "names a folder");
  declareOptimization(line, o);
  line.check([&o] { return checkOutputs(o); });
}

} // namespace lanewise::driver
