#include "options/transpile_options.h"

#include "input/scenario_inputs.h"
#include "options/opt_options.h"
#include "options/option_values.h"
#include "support/failure.h"
#include "support/files.h"
#include "transpile/text_fixes.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace lanewise::driver {

namespace {

/// What CLI11 collects before it is checked.
struct RawOptions {
  std::string kind, targetEnv, to, mslPlatform, workgroupSize;
  std::string glslVersion, esslVersion, shaderModel, mslVersion;
  std::vector<std::string> defines, specConstants, binds;
  bool isVulkan = false;
  IsolationOptions isolation;
};

void declareInputAndOutput(CLI::App& app, TranspileOptions& o, RawOptions& raw) {
  const char* group = "Input and output";
  app.add_option("INPUT", o.input,
                 ".spv, .spvasm, .comp/.glsl, .hlsl, or - ; with --scenario also the FOLDER that "
                 "opt --scenario wrote")
      ->type_name("SHADER|FOLDER")
      ->group(group);
  app.add_option("--to", raw.to, "the language to write")
      ->type_name("glsl|essl|hlsl|msl|spvasm")
      ->group(group);
  app.add_option("-o,--output", o.output,
                 "output file (default: standard output); of a FOLDER a folder")
      ->type_name("FILE")
      ->group(group);
  declareSourceOptions(app, group, {raw.kind, o.load.includeDirs, raw.defines, o.load.entry},
                       "entry point (of HLSL: the function to compile)");
  app.add_option("--target-env", raw.targetEnv,
                 "environment to compile for and validate in, such as vulkan1.1 or spv1.3")
      ->type_name("ENV")
      ->group(group);
  app.add_flag("--write-if-changed", o.writesIfChanged,
               "leave an output as it is where it holds the same already")
      ->group(group);
  app.add_flag("--write-dependencies", o.writesDepfile, "-MD: write a depfile")->group(group);
  app.add_option("--dependency-file", o.depfile, "-MF: its name (default: OUT.d)")
      ->type_name("FILE")
      ->group(group);
  declareIsolationOptions(app, group, raw.isolation);
}

void declareLanguage(CLI::App& app, TranspileOptions& o, RawOptions& raw) {
  const char* group = "Language";
  app.add_flag("--vulkan", raw.isVulkan, "GLSL for Vulkan instead of OpenGL")->group(group);
  app.add_option("--glsl-version", raw.glslVersion, "420 to 460 (default 450)")
      ->type_name("VERSION")
      ->group(group);
  app.add_option("--essl-version", raw.esslVersion, "default 310")
      ->type_name("310|320")
      ->group(group);
  app.add_option("--shader-model", raw.shaderModel, "of HLSL: 5.0 to 6.7 (default 6.0)")
      ->type_name("VERSION")
      ->group(group);
  app.add_option("--msl-version", raw.mslVersion, "1.0 to 3.1 (default 2.1)")
      ->type_name("VERSION")
      ->group(group);
  app.add_option("--msl-platform", raw.mslPlatform, "default macos")
      ->type_name("macos|ios")
      ->group(group);
  const char* names = "Interface";
  app.add_option("--rename-entry", o.newName, "name of the entry point in HLSL and MSL")
      ->type_name("NAME")
      ->group(names);
  app.add_option(
         "--bind", raw.binds,
         "where a resource goes; push=TO for push constants, groups=TO for HLSL's number of "
         "workgroups")
      ->type_name("SET:BINDING=TO")
      ->allow_extra_args(false)
      ->group(names);
  app.add_option("--spec-const", raw.specConstants, "fix a specialization constant to this value")
      ->type_name("ID:VALUE")
      ->allow_extra_args(false)
      ->group(names);
  app.add_flag("--fix-spec-consts", o.fixesAll,
               "fix the other specialization constants to their defaults")
      ->group(names);
  app.add_option("--layout-manifest", o.layoutManifest,
                 "how the input sees the buffers that --aos-to-soa laid out anew; of a FOLDER by "
                 "default its layout.json")
      ->type_name("FILE.json")
      ->group(names);
  app.add_option("--write-layout-manifest", o.newManifest, "the same with the bindings of the text")
      ->type_name("FILE.json")
      ->group(names);
}

void declareVerification(CLI::App& app, TranspileOptions& o, RawOptions& raw) {
  const char* group = "Verification";
  app.add_flag("--verify", o.verify,
               "compile the text again and dispatch it beside the input (GLSL, ESSL, HLSL)")
      ->group(group);
  app.add_flag("--require-verified", o.requiresVerified,
               "write nothing and exit with 2 when the text is not verified")
      ->group(group);
  app.add_option("--scenario", o.scenario, "what to dispatch")
      ->type_name("FILE.toml")
      ->group(group);
  app.add_option("--size", o.scenarioSize, "take the parameters of [sizes.NAME] of the scenario")
      ->type_name("NAME")
      ->group(group);
  app.add_option("--shader", o.shader, "the scenario's shader that INPUT stands for")
      ->type_name("NAME")
      ->group(group);
  app.add_option("--workgroup-size", raw.workgroupSize,
                 "workgroup size that is not literal, to verify without a scenario")
      ->type_name("X,Y,Z")
      ->group(group);
  app.add_option("--seed", o.verification.seed, "seed of random inputs")
      ->type_name("N")
      ->group(group);
  app.add_option("--json", o.json, "write the report as JSON")
      ->type_name("FILE.json")
      ->group(group);
  declareDeviceOptions(app, group, o.verification);
}

constexpr const char* kName = "lanewise transpile";
constexpr const char* kAbout =
    "Writes a compute shader as GLSL, ESSL, HLSL, MSL or SPIR-V assembly.";

void declare(CLI::App& app, TranspileOptions& o, RawOptions& raw) {
  app.get_formatter()->column_width(34);
  declareInputAndOutput(app, o, raw);
  declareLanguage(app, o, raw);
  declareVerification(app, o, raw);
}

/// "6.0" as major and minor.
std::optional<std::pair<uint32_t, uint32_t>> parseVersion(const std::string& text) {
  uint32_t major = 0, minor = 0;
  const char* end = text.data() + text.size();
  auto [dot, error] = std::from_chars(text.data(), end, major);
  if (error != std::errc() || dot == end || *dot != '.') return {};
  auto [next, minorError] = std::from_chars(dot + 1, end, minor);
  if (minorError != std::errc() || next != end) return {};
  return std::pair(major, minor);
}

Status checkGlslVersions(const RawOptions& raw, TargetLanguage& target) {
  if (!raw.glslVersion.empty()) {
    const std::vector<std::string> known{"420", "430", "440", "450", "460"};
    if (std::find(known.begin(), known.end(), raw.glslVersion) == known.end())
      return failure(fmt::format("--glsl-version={}: compute shaders are written in {}",
                                 raw.glslVersion, fmt::join(known, ", ")));
    target.glslVersion = uint32_t(std::stoul(raw.glslVersion));
  }
  if (!raw.esslVersion.empty()) {
    if (raw.esslVersion != "310" && raw.esslVersion != "320")
      return failure(fmt::format("--essl-version={}: compute shaders are written in 310, 320",
                                 raw.esslVersion));
    target.esslVersion = uint32_t(std::stoul(raw.esslVersion));
  }
  if (raw.isVulkan && target.glslVersion < 450)
    return failure("--vulkan needs --glsl-version=450 or 460");
  target.isVulkan = raw.isVulkan;
  return ok();
}

Status checkOtherVersions(const RawOptions& raw, TargetLanguage& target) {
  if (!raw.shaderModel.empty()) {
    auto version = parseVersion(raw.shaderModel);
    const bool isKnown = version && ((version->first == 5 && version->second <= 1) ||
                                     (version->first == 6 && version->second <= 7));
    if (!isKnown)
      return failure(
          fmt::format("--shader-model={}: it is 5.0, 5.1 or 6.0 to 6.7", raw.shaderModel));
    target.shaderModel = version->first * 10 + version->second;
  }
  if (!raw.mslVersion.empty()) {
    auto version = parseVersion(raw.mslVersion);
    const bool isKnown = version && ((version->first == 1 && version->second <= 2) ||
                                     (version->first == 2 && version->second <= 4) ||
                                     (version->first == 3 && version->second <= 1));
    if (!isKnown)
      return failure(fmt::format("--msl-version={}: it is 1.0 to 1.2, 2.0 to 2.4, 3.0 or 3.1",
                                 raw.mslVersion));
    target.mslVersion = version->first * 10000 + version->second * 100;
  }
  if (raw.mslPlatform == "ios")
    target.isIos = true;
  else if (!raw.mslPlatform.empty() && raw.mslPlatform != "macos")
    return failure(fmt::format("--msl-platform={}: it is macos or ios", raw.mslPlatform));
  return ok();
}

/// An option of another language is a mistake.
Status checkLanguage(const RawOptions& raw, TranspileOptions& o) {
  if (raw.to.empty()) return failure("give --to=glsl, essl, hlsl, msl or spvasm");
  std::optional<Language> language = parseLanguage(raw.to);
  if (!language)
    return failure(
        fmt::format("--to={}: unknown language; it is glsl, essl, hlsl, msl or spvasm", raw.to));
  o.target.language = *language;
  struct Own {
    const char* option;
    bool isGiven;
    Language of;
  };
  for (const Own& own : {Own{"--vulkan", raw.isVulkan, Language::Glsl},
                         Own{"--glsl-version", !raw.glslVersion.empty(), Language::Glsl},
                         Own{"--essl-version", !raw.esslVersion.empty(), Language::Essl},
                         Own{"--shader-model", !raw.shaderModel.empty(), Language::Hlsl},
                         Own{"--msl-version", !raw.mslVersion.empty(), Language::Msl},
                         Own{"--msl-platform", !raw.mslPlatform.empty(), Language::Msl}})
    if (own.isGiven && own.of != *language)
      return failure(fmt::format("{} goes with --to={}, not with --to={}", own.option,
                                 own.of == Language::Glsl   ? "glsl"
                                 : own.of == Language::Essl ? "essl"
                                 : own.of == Language::Hlsl ? "hlsl"
                                                            : "msl",
                                 raw.to));
  if (Status s = checkGlslVersions(raw, o.target); !s) return s;
  return checkOtherVersions(raw, o.target);
}

Status checkInterface(const RawOptions& raw, TranspileOptions& o) {
  const bool isAssembly = o.target.language == Language::SpvAsm;
  if (!o.newName.empty()) {
    if (o.target.isGlslOrEssl())
      return failure("--rename-entry: the entry point of GLSL and ESSL is always main");
    if (isAssembly) return failure("--rename-entry goes with --to=hlsl and --to=msl");
    if (!isIdentifier(o.newName))
      return failure(
          fmt::format("--rename-entry={}: it must be letters, digits and underscores", o.newName));
  }
  if (isAssembly && !raw.binds.empty())
    return failure("--bind goes with --to=glsl, essl, hlsl and msl");
  for (const std::string& text : raw.binds) {
    Result<BindRequest> request = parseBindRequest(text, o.target);
    if (!request) return request.error();
    o.binds.push_back(std::move(*request));
  }
  Result<Assumptions> assumptions = parseAssumptions(raw.specConstants, raw.workgroupSize);
  if (!assumptions) return assumptions.error();
  o.fixedConstants = std::move(assumptions->specConstants);
  o.workgroupSize = assumptions->workgroupSize;
  return ok();
}

Status checkLoading(const RawOptions& raw, TranspileOptions& o) {
  if (o.input.empty()) return failure("no input; give a file, or - for standard input");
  if (Status s = parseLoadOptions(raw.kind, raw.defines, o.load); !s) return s;
  if (!raw.targetEnv.empty()) {
    Result<spv_target_env> env = parseTargetEnv(raw.targetEnv);
    if (!env) return env.error();
    o.load.env = *env;
  }
  Result<IsolationLimits> isolation = isolationLimitsOf(raw.isolation);
  if (!isolation) return isolation.error();
  o.isolation = *isolation;
  return ok();
}

Status checkFolder(const TranspileOptions& o) {
  if (o.scenario.empty())
    return failure(fmt::format("{}: a folder stands for the shaders of a scenario; give "
                               "--scenario=FILE.toml",
                               o.input));
  if (o.output.empty() || o.output == "-")
    return failure("a folder of shaders needs -o FOLDER for their texts");
  if (o.writesDepfile) return failure("-MD speaks of one output; give a file, not a folder");
  if (!o.shader.empty() || o.load.kind || !o.load.entry.empty())
    return failure("--shader, -x and --entry speak of one module, not of a folder");
  return ok();
}

Status checkTogether(TranspileOptions& o) {
  o.verify = o.verify || o.requiresVerified;
  if (!o.depfile.empty()) o.writesDepfile = true;
  if (isFolder(o.input))
    if (Status s = checkFolder(o); !s) return s;
  if (o.writesDepfile && (o.output.empty() || o.output == "-"))
    return failure("-MD needs -o FILE: a depfile names the output");
  if (o.scenario.empty() && (!o.scenarioSize.empty() || !o.shader.empty()))
    return failure("--size and --shader speak of a scenario; give --scenario=FILE.toml");
  if (!o.scenario.empty() && o.workgroupSize)
    return failure("--workgroup-size stands in the scenario's [[shader]]; give it there");
  if (!o.json.empty() && !o.verify) return failure("--json goes with --verify");
  if (!o.newManifest.empty() && o.layoutManifest.empty() && !isFolder(o.input))
    return failure("--write-layout-manifest needs --layout-manifest=FILE to start from");
  return checkInterpreterOptions(o.verification.interpreter);
}

} // namespace

std::vector<CommandDescription> describeTranspile() {
  TranspileOptions o;
  RawOptions raw;
  CLI::App app(kAbout, kName);
  declare(app, o, raw);
  return {describe(app, {{"Write HLSL, and check it against the module.",
                          "lanewise transpile tile.spv --to=hlsl --verify -o tile.out.hlsl"},
                         {"Write GLSL for Vulkan.",
                          "lanewise transpile tile.spv --to=glsl --vulkan -o tile.out.glsl"}})};
}

Result<ParsedTranspileOptions> parseTranspileOptions(std::span<char*> args) {
  TranspileOptions o;
  RawOptions raw;
  CLI::App app(kAbout, kName);
  declare(app, o, raw);
  std::vector<std::string> arguments;
  for (const char* arg : args) {
    const std::string_view view = arg;
    // Two letters behind one dash, as compilers have it.
    arguments.emplace_back(view == "-MD"   ? "--write-dependencies"
                           : view == "-MF" ? "--dependency-file"
                                           : arg);
  }
  if (Status s = checkOptionNames(app, arguments, "transpile"); !s) return s.error();
  if (Status s = checkOptionValues(app, arguments); !s) return s.error();
  std::reverse(arguments.begin(), arguments.end()); // CLI11 takes arguments from the back
  try {
    app.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    return ParsedTranspileOptions{{}, app.help()};
  } catch (const CLI::ParseError& e) {
    return failure(fmt::format("{}; see 'lanewise transpile --help'", e.what()));
  }
  for (auto check : {checkLoading, checkLanguage, checkInterface})
    if (Status s = check(raw, o); !s) return s.error();
  if (Status s = checkTogether(o); !s) return s.error();
  return ParsedTranspileOptions{std::move(o), {}};
}

} // namespace lanewise::driver
