#include "options/option_groups.h"

#include "options/project_file.h"
#include "support/failure.h"
#include "support/files.h"
#include "support/print.h"
#include "support/terminal.h"
#include "targets/target_profiles.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <thread>

namespace lanewise::driver {

namespace {

constexpr double kMostSeconds = 1e6;

/// The value of --workgroup-size, "X,Y,Z".
Result<std::array<uint32_t, 3>> parseWorkgroupSize(const std::string& text) {
  std::array<uint32_t, 3> size{1, 1, 1};
  const Error bad =
      failure(fmt::format("--workgroup-size={} must be X,Y,Z with whole numbers from 1 to {}", text,
                          kMaxWorkgroupSize));
  const char* at = text.data();
  const char* const end = at + text.size();
  for (size_t i = 0; i < 3; ++i) {
    auto [next, error] = std::from_chars(at, end, size[i]);
    if (error != std::errc() || size[i] < 1 || size[i] > kMaxWorkgroupSize) return bad;
    at = next;
    if (i < 2 && (at == end || *at++ != ',')) return bad;
  }
  if (at != end) return bad;
  return size;
}

/// Seconds above 0 (from 0 where 0 has a meaning of its own), and not so many that they overflow.
Status checkSeconds(std::string_view option, double seconds, std::string_view more = {}) {
  if (seconds > 0 && seconds <= kMostSeconds) return ok(); // not NaN
  return failure(fmt::format("{} must be above 0 and at most 1000000 seconds{}", option, more));
}

constexpr uint32_t kMaxJobs = 1024;

Status checkCache(CacheOptions& cache, const std::string& size) {
  if (!size.empty()) {
    const std::optional<uint64_t> bytes = parseSize(size);
    if (!bytes)
      return failure(
          fmt::format("--cache-size={} must be a number of bytes, or one with K, M, G or "
                      "T behind it; 0 for no limit",
                      size));
    cache.bytes = *bytes;
    if (cache.place.empty()) return failure("--cache-size needs --cache=FOLDER");
  }
  if (cache.place.empty()) return ok();
  if (isRedisAddress(cache.place)) {
    Result<RedisAddress> address = parseRedisAddress(cache.place);
    if (!address) return address.error();
    if (!hasRedis())
      return failure("--cache: this program was built without hiredis, and so without Redis");
    if (!size.empty())
      return failure("--cache-size is for folders; a Redis server has its own limit (maxmemory and "
                     "maxmemory-policy allkeys-lru in redis.conf)");
    cache.redis = std::move(*address);
    return ok();
  }
  if (cache.place.find("://") != std::string::npos)
    return failure(fmt::format("--cache={}: it is a folder, redis://HOST[:PORT][/DATABASE] or "
                               "unix:///SOCKET",
                               cache.place));
  return checkCacheFolder(cache.place);
}

} // namespace

// ---- what is read ----

void addSourceOptions(CommandLine& line, LoadOptions& load, std::string entryHelp) {
  line.value(
      "-x", "spv|spvasm|glsl|hlsl|STAGE",
      [&load](const std::string& kind) -> Status {
        if (parseInputKind(kind, load)) return ok();
        return failure(fmt::format("-x {}: unknown kind; it is spv, spvasm, glsl or hlsl, or the "
                                   "stage of GLSL source, such as frag",
                                   kind));
      },
      "kind of the input; a stage, such as frag, for GLSL of that stage");
  line.alias("-fshader-stage", "--shader-stage");
  line.value(
      "--shader-stage", "STAGE",
      [&load](const std::string& name) -> Status {
        load.stage = stageNamed(name);
        if (!load.stage.empty()) return ok();
        return failure(fmt::format("--shader-stage={}: unknown stage; it is {}", name,
                                   fmt::join(shaderStages(), ", ")));
      },
      "stage of source whose extension does not tell; with transpile also of the entry point");
  line.each("-I,--include-directory", "FOLDER", load.includeDirs, "folder to search for #include");
  // Builds name folders that are generated later, so that it is no error.
  line.check([&load] {
    for (const std::string& folder : load.includeDirs)
      if (!isFolder(folder)) printError("lanewise: warning: -I {}: no such folder\n", folder);
    return ok();
  });
  line.each(
      "-D,--define-macro", "NAME[=VALUE]",
      [&load](const std::string& define) -> Status {
        const size_t equals = define.find('=');
        if (equals == 0) return failure(fmt::format("-D {}: a macro needs a name", define));
        if (const char first = define[0]; first >= '0' && first <= '9')
          return failure(fmt::format("-D {}: a macro's name begins with no digit", define));
        const std::string name = define.substr(0, equals);
        std::erase_if(load.defines, [&](const auto& earlier) { return earlier.first == name; });
        load.defines.emplace_back(name,
                                  equals == std::string::npos ? "1" : define.substr(equals + 1));
        return ok();
      },
      "define a macro; the last definition counts");
  line.value("--entry", "NAME", load.entry, std::move(entryHelp));
  line.alias("-fcbuffer-binding-base", "--cbuffer-binding-base");
  line.alias("-fubo-binding-base", "--cbuffer-binding-base");
  line.value("--cbuffer-binding-base", "N", load.registers.constantBuffers,
             "binding of HLSL's register b0 (default 0)");
  line.alias("-ftexture-binding-base", "--texture-binding-base");
  line.value("--texture-binding-base", "N", load.registers.readable,
             "binding of HLSL's register t0: textures and read-only buffers");
  line.alias("-fuav-binding-base", "--uav-binding-base");
  line.value("--uav-binding-base", "N", load.registers.writable,
             "binding of HLSL's register u0: images and buffers that are written");
  line.alias("-fsampler-binding-base", "--sampler-binding-base");
  line.value("--sampler-binding-base", "N", load.registers.samplers,
             "binding of HLSL's register s0");
  line.alias("-fauto-bind-uniforms", "--auto-bind-uniforms");
  line.flag("--auto-bind-uniforms", load.bindsUniforms,
            "give GLSL's uniforms and buffers without a binding a free one");
  line.value(
          "--project", "FILE.toml|none",
          [&load](const std::string& file) {
            load.projectFile = file == kNoProject ? "" : file;
            return ok();
          },
          "options of a project (default: lanewise.toml in a folder above the input)")
      .notInKey(); // what it says is
}

std::vector<std::string> typedSourceOptions(const CommandLine& line) {
  std::vector<std::string> words;
  for (const char* name : {"-I", "-D"})
    for (const std::string& value : line.typed(name)) words.insert(words.end(), {name, value});
  for (const char* name : {"--cbuffer-binding-base", "--texture-binding-base", "--uav-binding-base",
                           "--sampler-binding-base", "--auto-bind-uniforms"})
    for (const std::string& value : line.typed(name))
      words.push_back(fmt::format("{}={}", name, value));
  return words;
}

void addEnvironmentOption(CommandLine& line, LoadOptions& load) {
  line.value(
      "--target-env", "ENV",
      [&load](const std::string& name) -> Status {
        Result<spv_target_env> env = parseTargetEnv(name);
        if (!env) return failure("--target-env: " + env.error().message);
        load.env = *env;
        return ok();
      },
      "environment to compile for and validate in, such as vulkan1.1 or spv1.3");
}

Result<std::pair<uint32_t, SpecValue>> parseSpecConstant(const std::string& text) {
  const Error bad =
      failure(fmt::format("--spec-const={} must be ID:VALUE, such as 0:64, 1:0x10, 2:-3, 3:1.5 or "
                          "4:true",
                          text));
  const size_t colon = text.find(':');
  if (colon == std::string::npos) return bad;
  uint32_t id = 0;
  auto [idEnd, idError] = std::from_chars(text.data(), text.data() + colon, id);
  if (idError != std::errc() || idEnd != text.data() + colon) return bad;
  std::optional<SpecValue> value = parseSpecValue(std::string_view(text).substr(colon + 1));
  if (!value) return bad;
  return std::pair(id, std::move(*value));
}

void addAssumptionOptions(CommandLine& line, Assumptions& assumptions, GivenConstants& given) {
  line.each(
      "--spec-const", "ID:VALUE",
      [&given](const std::string& text) -> Status {
        Result<std::pair<uint32_t, SpecValue>> constant = parseSpecConstant(text);
        if (!constant) return constant.error();
        given.values[constant->first] = std::move(constant->second);
        return ok();
      },
      "value of a specialization constant, by the constant's type");
  line.value(
      "--workgroup-size", "X,Y,Z",
      [&assumptions](const std::string& text) -> Status {
        Result<std::array<uint32_t, 3>> size = parseWorkgroupSize(text);
        if (!size) return size.error();
        assumptions.workgroupSize = *size;
        return ok();
      },
      "workgroup size that is not literal");
  line.check([&line, &assumptions, &given] {
    for (const std::string& text : line.typed("--spec-const"))
      if (const auto constant = parseSpecConstant(text)) given.typed.insert(constant->first);
    if (!line.typed("--workgroup-size").empty()) given.typedSize = assumptions.workgroupSize;
    return ok();
  });
}

void addPipelinesOption(CommandLine& line, PipelinesChoice& choice) {
  line.value(
      "--pipelines", "FILE",
      [&choice](const std::string& path) -> Status {
        Result<RecordedPipelines> pipelines = readPipelines(path);
        if (!pipelines) return pipelines.error();
        choice.path = path;
        choice.pipelines = std::make_shared<const RecordedPipelines>(std::move(*pipelines));
        return ok();
      },
      "constants, dispatch sizes and subgroup sizes that modules are used with, as 'lanewise run "
      "--record' writes them, or a Fossilize database");
  line.check([&line, &choice]() -> Status {
    if (!choice.isGiven() || !line.isGiven("--scenario")) return ok();
    return failure("--pipelines cannot be used with --scenario, which says constants and sizes "
                   "itself");
  });
}

namespace {

/// `options` pick from the file of --tuning.
void needsTuning(CommandLine& line, const TuningChoice& tuning, std::vector<std::string> options) {
  line.check([&line, &tuning, options = std::move(options)]() -> Status {
    if (tuning.isGiven()) return ok();
    for (const std::string& option : options)
      if (line.isGiven(option))
        return failure(fmt::format("{} picks from a file; give --tuning=FILE.toml", option));
    return ok();
  });
}

} // namespace

void addTuningOptions(CommandLine& line, TuningChoice& tuning) {
  line.value(
      "--tuning", "FILE.toml",
      [&tuning](const std::string& path) -> Status {
        Result<TunedChoices> choices = readTuning(path);
        if (!choices) return choices.error();
        keepFile(path);
        for (const TunedChoice& choice : *choices) {
          Result<TargetProfile> target = loadTarget(choice.target);
          if (!target) return failure(fmt::format("{}: {}", path, target.error().message));
          tuning.targets.emplace(choice.target, std::move(*target));
        }
        tuning.path = path;
        tuning.choices = std::make_shared<const TunedChoices>(std::move(*choices));
        return ok();
      },
      "passes for each module that 'lanewise tune' found; the others get those of the command "
      "line");
  line.value("--tuning-device", "NAME", tuning.device,
             "with --tuning: what was found on the device that has this in its name");
  line.value("--tuning-shape", "NAME", tuning.shape,
             "with --tuning: what was found with this --size of the scenario");
  line.value("--tuning-shader", "NAME", tuning.shader,
             "with --tuning: what was found for the scenario's shader of this name, where several "
             "have one module");
  needsTuning(line, tuning, {"--tuning-device", "--tuning-shape", "--tuning-shader"});
}

void addTuningHostOption(CommandLine& line, TuningChoice& tuning) {
  line.flag("--tuning-host", tuning.isHostAsked,
            "with --tuning: what the host must follow, which nothing else applies");
  needsTuning(line, tuning, {"--tuning-host"});
}

void refuseBesideScenario(CommandLine& line, const ScenarioChoice& scenario) {
  line.check([&line, &scenario]() -> Status {
    const bool isAnyGiven =
        line.isGiven("--spec-const") || line.isGiven("--workgroup-size") || line.isGiven("--entry");
    if (!scenario.isGiven() || !isAnyGiven) return ok();
    return failure("--spec-const, --workgroup-size and --entry cannot be used with --scenario; set "
                   "them in its [[shader]]");
  });
}

void addSizeOption(CommandLine& line, ScenarioChoice& scenario) {
  line.value("--size", "NAME", scenario.size,
             "take the parameters of [sizes.NAME] of the scenario");
}

void addScenarioOptions(CommandLine& line, ScenarioChoice& scenario, std::string help) {
  line.value("--scenario", "FILE.toml", scenario.path, std::move(help));
  addSizeOption(line, scenario);
  line.check([&scenario]() -> Status {
    if (scenario.isGiven() || scenario.size.empty()) return ok();
    return failure("--size needs --scenario=FILE.toml");
  });
}

void addShaderOption(CommandLine& line, ScenarioChoice& scenario) {
  line.value("--shader", "NAME", scenario.shader, "the scenario's shader that the input replaces");
  line.check([&scenario]() -> Status {
    if (scenario.isGiven() || scenario.shader.empty()) return ok();
    return failure("--shader needs --scenario=FILE.toml");
  });
}

void addTargetOption(CommandLine& line, std::string& target) {
  line.value(
      "--target", "TARGET",
      [&target](const std::string& name) -> Status { // here, so that a project file's line is known
        target = name;
        if (name == "device") return ok();
        Result<TargetProfile> profile = loadTarget(name);
        return profile ? ok() : Status(profile.error());
      },
      fmt::format("GPU to count for: {}, device, or FILE.toml", fmt::join(builtInTargets(), ", ")));
}

// ---- how it runs ----

void addTimeoutOption(CommandLine& line, double& seconds, std::string help) {
  line.value("--timeout", "SECONDS", seconds, std::move(help));
  line.check([&seconds] { return checkSeconds("--timeout", seconds); });
}

void addDeviceOptions(CommandLine& line, VerifyOptions& options) {
  line.value("--device", "DEVICE", options.device,
             "an index from `lanewise devices`, cpu, or interpreter");
  line.flag("--validation-layer", options.validationLayer,
            "run under the Khronos validation layer; its errors are findings");
  addTimeoutOption(line, options.timeoutSeconds,
                   "time limit for one submission, in seconds (default 60)");
  line.value("--seed", "N", options.seed, "seed of random inputs");
  InterpreterOptions& interpreter = options.interpreter;
  line.flag("--no-interpreter", interpreter.checksBesideDevice,
            "skip the interpreter's check for data races and undefined operations", false);
  line.value("--interpreter-budget", "SECONDS", interpreter.budgetSeconds,
             fmt::format("approximate time of the interpreter per comparison, in seconds (default "
                         "{}); limits how many workgroups it runs",
                         interpreter.budgetSeconds));
  line.value(
      "--subgroup-size", "4|8|16|32|64|128", interpreter.subgroupSize,
      fmt::format("subgroup size in the interpreter (default {})", interpreter.subgroupSize));
  line.check([&interpreter]() -> Status {
    if (!isSubgroupSize(interpreter.subgroupSize))
      return failure("--subgroup-size must be 4, 8, 16, 32, 64 or 128");
    return checkSeconds("--interpreter-budget", interpreter.budgetSeconds,
                        "; --no-interpreter leaves it out");
  });
}

void addTimingOption(CommandLine& line, VerifyOptions& options) {
  line.flag("--no-timing", options.timing, "compare only", false);
}

void addRequirementOptions(CommandLine& line, bool& requiresVerified, bool& requiresCoverage,
                           std::string requiresVerifiedHelp) {
  line.flag("--require-verified", requiresVerified, std::move(requiresVerifiedHelp));
  line.flag("--require-coverage", requiresCoverage,
            "count a result as verified only if every block and both ways of every branch were "
            "exercised; implies --require-verified");
  line.check([&requiresVerified, &requiresCoverage] {
    requiresVerified = requiresVerified || requiresCoverage;
    return ok();
  });
}

void addValidationOptions(CommandLine& line, ValidationOptions& options) {
  line.flag("--require-validation", options.isRequired,
            "refuse what the installed SPIRV-Tools do not know and cannot validate");
  line.flag("--no-validation", options.isOff, "do not validate modules");
  line.flag("--skip-validation", options.isOff, "the same, as spirv-opt spells it");
  line.check([&options]() -> Status {
    if (options.isOff && options.isRequired)
      return failure("--require-validation asks for what --no-validation leaves out; drop one");
    return ok();
  });
  const std::string asIn = "relax the validator as spirv-val's option of this name does";
  line.flag("--relax-logical-pointer", options.relaxLogicalPointer, asIn);
  line.flag("--relax-struct-store", options.relaxStructStore, asIn);
  line.flag("--skip-block-layout", options.skipBlockLayout, asIn);
  line.flag("--before-hlsl-legalization", options.beforeHlslLegalization, asIn);
  line.value("--max-id-bound", "N", options.maxIdBound, "largest id bound that a module may have");
  const auto isAlwaysOn = std::make_shared<bool>(); // lives as long as the check below
  for (const char* name :
       {"--relax-block-layout", "--scalar-block-layout", "--workgroup-scalar-block-layout"})
    line.flag(name, *isAlwaysOn, "always on; taken because spirv-opt takes it");
  line.check([isAlwaysOn] { return ok(); });
}

void addIsolationOptions(CommandLine& line, IsolationLimits& limits) {
  line.value(
      "--isolation-timeout", "SECONDS",
      [&limits](const std::string& text) -> Status {
        double seconds = 0;
        const char* const end = text.data() + text.size();
        auto [next, error] = std::from_chars(text.data(), end, seconds);
        const bool isNumber = error == std::errc() && next == end;
        if (!isNumber || !(seconds >= 0 && seconds <= kMostSeconds)) // NaN, too
          return failure("--isolation-timeout must lie between 0 and 1000000 seconds");
        // Rounded up: 0 means no limit, and must not come from a small number.
        limits.time = std::chrono::milliseconds(int64_t(std::ceil(seconds * 1000)));
        return ok();
      },
      "time limit for each third-party step, in seconds (0: none)");
  line.flag("--no-isolation", limits.fork,
            "run third-party steps and drivers in this process (for debuggers)", false);
  line.check([&limits] {
    limits.forksForDrivers = limits.fork;
    return ok();
  });
}

// ---- what is written ----

void addDepfileOptions(CommandLine& line, DepfileOptions& depfile, bool hasTarget) {
  line.alias("-MD", "--write-dependencies");
  line.alias("-MF", "--dependency-file");
  line.flag("--write-dependencies", depfile.isWanted, "write a depfile").place();
  line.value("--dependency-file", "FILE", depfile.path, "name of the depfile (default: OUT.d)")
      .output();
  line.alias("-MP", "--phony-dependencies");
  line.flag("--phony-dependencies", depfile.hasPhony,
            "add a rule without a recipe for each file that was read")
      .place();
  if (hasTarget) {
    line.alias("-MT", "--dependency-target");
    line.value("--dependency-target", "NAME", depfile.target,
               "target that the depfile names (default: OUT)")
        .place();
  }
  line.check([&depfile] {
    depfile.isWanted =
        depfile.isWanted || !depfile.path.empty() || !depfile.target.empty() || depfile.hasPhony;
    return ok();
  });
}

void addWriteIfChangedOption(CommandLine& line, bool& writesIfChanged) {
  line.flag("--write-if-changed", writesIfChanged,
            "leave output files alone whose contents would not change")
      .place();
}

void addColorOption(CommandLine& line) {
  line.value(
          "--color", "auto|always|never",
          [](const std::string& value) -> Status {
            ColorMode mode = ColorMode::Auto;
            if (Status s = choice("--color", mode, {"auto", "always", "never"})(value); !s)
              return s;
            setColorMode(mode);
            return ok();
          },
          "color messages for people (default: where they go to a terminal)")
      .place();
}

Status checkInputs(const std::vector<std::string>& inputs, std::string none) {
  if (inputs.empty()) return failure(std::move(none));
  if (std::count(inputs.begin(), inputs.end(), "")) return failure("the name of an input is empty");
  if (inputs.size() > 1 && std::count(inputs.begin(), inputs.end(), "-"))
    return failure("standard input (-) must be the only input");
  return ok();
}

Status checkIsAnother(const std::string& path, const std::vector<std::string>& others) {
  if (path.empty() || path == "-") return ok();
  for (const std::string& other : others)
    if (!other.empty() && other != "-" && isSameFile(path, other))
      return failure(
          fmt::format("{}: this command reads or writes it already; give another name", path));
  return ok();
}

Status checkDestination(const std::string& path, const std::vector<std::string>& others) {
  if (path.empty() || path == "-") return ok();
  if (Status s = checkIsAnother(path, others); !s) return s;
  if (Status s = checkWritable(path); !s)
    return failure(fmt::format("{}: {}", path, s.error().message));
  return ok();
}

std::optional<uint64_t> parseSize(const std::string& text) {
  uint64_t number = 0;
  const char* end = text.data() + text.size();
  auto [next, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc()) return {};
  if (next == end) return number;
  const size_t unit = std::string_view("KMGT").find(char(std::toupper(uint8_t(*next))));
  if (next + 1 != end || unit == std::string_view::npos) return {};
  const uint32_t shift = 10 * (uint32_t(unit) + 1);
  if (number > UINT64_MAX >> shift) return {};
  return number << shift;
}

void addJobsOption(CommandLine& line, uint32_t& jobs) {
  line.value("-j,--jobs", "N", jobs, "worker processes (default: one per core)").place();
  line.check([&line, &jobs]() -> Status {
    if (!line.isGiven("--jobs"))
      jobs = std::clamp(std::thread::hardware_concurrency(), 1u, kMaxJobs);
    if (jobs < 1 || jobs > kMaxJobs)
      return failure(fmt::format("-j must be a number from 1 to {}", kMaxJobs));
    return ok();
  });
}

void addCacheOptions(CommandLine& line, CacheOptions& cache) {
  line.value("--cache", "FOLDER", cache.place,
             "folder, redis://[:PASSWORD@]HOST[:PORT][/DATABASE] or unix:///SOCKET")
      .place();
  const auto size = std::make_shared<std::string>(); // lives as long as the check below
  line.value("--cache-size", "BYTES", *size,
             "size limit of a cache folder: 500M, 5G (default), 0 for none")
      .place();
  line.check([&cache, size] { return checkCache(cache, *size); });
}

} // namespace lanewise::driver
