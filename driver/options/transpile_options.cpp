#include "options/transpile_options.h"

#include "options/option_groups.h"
#include "support/failure.h"
#include "support/files.h"
#include "support/print.h"
#include "transpile/reserved_words.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <memory>

namespace lanewise::driver {

namespace {

/// What is checked together, once the language is known.
struct RawOptions {
  std::string to, mslPlatform;
  std::string glslVersion, esslVersion, shaderModel, mslVersion;
  std::vector<std::string> binds;
  bool isVulkan = false;
};

void declareInputAndOutput(CommandLine& line, TranspileOptions& o, RawOptions& raw) {
  line.group("Input and output");
  line.positional("INPUT", "SHADER|FOLDER", o.input,
                  ".spv, .spvasm, .comp/.glsl, .hlsl, or - ; with --scenario also the FOLDER that "
                  "opt --scenario wrote");
  line.value("--to", "glsl|essl|hlsl|msl|spvasm", raw.to, "the language to write");
  line.value("-o,--output", "FILE", o.output,
             "output file (default: standard output); with FOLDER, a folder")
      .output();
  addSourceOptions(line, o.load);
  o.load.isForHost = true;
  addEnvironmentOption(line, o.load);
  addWriteIfChangedOption(line, o.writesIfChanged);
  addDepfileOptions(line, o.depfile, false);
  addIsolationOptions(line, o.isolation);
  line.check([&o]() -> Status {
    return o.input.empty() ? failure("no input; give a file, or - for standard input") : ok();
  });
}

void declareLanguage(CommandLine& line, TranspileOptions& o, RawOptions& raw) {
  line.group("Language");
  line.flag("--vulkan", raw.isVulkan, "write GLSL for Vulkan instead of OpenGL");
  line.value("--glsl-version", "VERSION", raw.glslVersion,
             "GLSL version, 420 to 460 (default 450)");
  line.value("--essl-version", "310|320", raw.esslVersion, "default 310");
  line.value("--shader-model", "VERSION", raw.shaderModel,
             "HLSL shader model, 5.0 to 6.7 (default 6.0)");
  line.value("--msl-version", "VERSION", raw.mslVersion, "MSL version, 1.0 to 3.1 (default 2.1)");
  line.value("--msl-platform", "macos|ios", raw.mslPlatform, "platform of MSL (default macos)");
  line.group("Interface");
  line.value("--rename-entry", "NAME", o.newName, "name of the entry point in HLSL and MSL");
  line.each("--bind", "SET:BINDING=TO", raw.binds,
            "bind a resource to TO; push=TO for push constants, groups=TO for the workgroup count "
            "in HLSL");
  addAssumptionOptions(line, o.assumptions, o.constants);
  line.flag("--fix-spec-consts", o.fixesAll,
            "fix the other specialization constants to their defaults");
  line.value("--layout-manifest", "FILE.json", o.layoutManifest,
             "buffer layouts of the input, as opt --aos-to-soa wrote them (default with FOLDER: "
             "its layout.json)");
  line.value("--write-layout-manifest", "FILE.json", o.newManifest,
             "write the layout manifest with the bindings of the output")
      .output();
}

void declareVerification(CommandLine& line, TranspileOptions& o) {
  line.group("Verification");
  line.flag("--no-check", o.isChecked, "do not compile GLSL and ESSL to see whether they are right",
            false);
  line.flag("--verify", o.verify,
            "compile the output back and compare it with the input on a device (GLSL, ESSL, HLSL)");
  addRequirementOptions(line, o.requiresVerified, o.verification.requiresCoverage,
                        "write nothing and exit with 2 if the output is not verified");
  addScenarioOptions(line, o.scenario, "what to dispatch");
  addShaderOption(line, o.scenario);
  line.value("--json", "FILE.json", o.json, "write the report as JSON").output();
  addDeviceOptions(line, o.verification);
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
      return failure(fmt::format("--glsl-version={}: it is one of {}", raw.glslVersion,
                                 fmt::join(known, ", ")));
    target.glslVersion = uint32_t(std::stoul(raw.glslVersion));
  }
  if (!raw.esslVersion.empty()) {
    if (raw.esslVersion != "310" && raw.esslVersion != "320")
      return failure(fmt::format("--essl-version={}: it is 310 or 320", raw.esslVersion));
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
    if (Status s = checkEntryName(o.newName, o.target.language); !s) return s;
  }
  if (isAssembly && !raw.binds.empty())
    return failure("--bind goes with --to=glsl, essl, hlsl and msl");
  for (const std::string& text : raw.binds) {
    Result<BindRequest> request = parseBindRequest(text, o.target);
    if (!request) return request.error();
    o.binds.push_back(std::move(*request));
  }
  return ok();
}

Status checkFolder(const TranspileOptions& o) {
  if (!o.scenario.isGiven())
    return failure(fmt::format("{}: a folder of shaders needs --scenario=FILE.toml", o.input));
  if (o.output.empty() || o.output == "-")
    return failure("a folder of shaders needs -o FOLDER for their texts");
  if (o.depfile.isWanted) return failure("-MD needs a single output; give a file, not a folder");
  if (!o.scenario.shader.empty() || o.load.kind || !o.load.entry.empty())
    return failure("--shader, -x and --entry speak of one module, not of a folder");
  return ok();
}

Status checkTogether(TranspileOptions& o) {
  o.verify = o.verify || o.requiresVerified;
  if (isFolder(o.input))
    if (Status s = checkFolder(o); !s) return s;
  if (o.depfile.isWanted && (o.output.empty() || o.output == "-"))
    return failure("-MD needs -o FILE: a depfile names the output");
  if (o.scenario.isGiven() && o.assumptions.workgroupSize)
    return failure("with --scenario, set the workgroup size in its [[shader]]");
  if (!o.json.empty() && !o.verify) return failure("--json goes with --verify");
  if (!o.newManifest.empty() && o.layoutManifest.empty() && !isFolder(o.input))
    return failure("--write-layout-manifest needs --layout-manifest=FILE");
  return ok();
}

} // namespace

void declareTranspile(CommandLine& line, TranspileOptions& o) {
  line.about("Writes a shader as GLSL, ESSL, HLSL, MSL or SPIR-V assembly.");
  line.example("Write HLSL, and check it against the module.",
               "lanewise transpile tile.spv --to=hlsl --verify -o tile.out.hlsl");
  line.example("Write GLSL for Vulkan.",
               "lanewise transpile tile.spv --to=glsl --vulkan -o tile.out.glsl");
  const auto raw = std::make_shared<RawOptions>(); // lives as long as the check below
  declareInputAndOutput(line, o, *raw);
  declareLanguage(line, o, *raw);
  declareVerification(line, o);
  line.check([raw, &o, &line]() -> Status {
    if (Status s = checkLanguage(*raw, o); !s) return s;
    if (Status s = checkInterface(*raw, o); !s) return s;
    if (Status s = checkTogether(o); !s) return s;
    if (!o.verify && !line.typed("--device").empty())
      printError("lanewise: warning: --device: nothing runs on it without --verify\n");
    return ok();
  });
}

} // namespace lanewise::driver
