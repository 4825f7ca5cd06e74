#include "scenario_inputs.h"

#include "files.h"
#include "opt_options.h"
#include "verify/failure.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>

namespace lanewise::driver {

namespace fs = std::filesystem;

Status parseLoadOptions(const std::string& kind, const std::vector<std::string>& defines,
                        LoadOptions& options) {
  if (!kind.empty()) {
    options.kind = parseInputKind(kind);
    if (!options.kind)
      return failure(fmt::format("-x {}: unknown kind; it is spv, spvasm, glsl or hlsl", kind));
  }
  for (const std::string& define : defines) {
    size_t equals = define.find('=');
    if (equals == 0 || define.empty())
      return failure(fmt::format("-D {}: a macro needs a name", define));
    options.defines.emplace_back(define.substr(0, equals),
                                 equals == std::string::npos ? "1" : define.substr(equals + 1));
  }
  return ok();
}

Result<Assumptions> parseAssumptions(const std::vector<std::string>& specConstants,
                                     const std::string& workgroupSize) {
  Assumptions assumptions;
  for (const std::string& text : specConstants) {
    Result<std::pair<uint32_t, uint64_t>> constant = parseSpecConstant(text);
    if (!constant) return constant.error();
    assumptions.specConstants[constant->first] = constant->second;
  }
  if (workgroupSize.empty()) return assumptions;
  Result<std::array<uint32_t, 3>> size = parseWorkgroupSize(workgroupSize);
  if (!size) return size.error();
  assumptions.workgroupSize = *size;
  return assumptions;
}

Result<Words> loadShader(const std::string& path, LoadOptions options,
                         const ScenarioShader* described, Lines lines) {
  if (described) {
    // Macros of the command line go before the scenario's.
    for (const auto& [name, value] : described->defines)
      if (std::none_of(options.defines.begin(), options.defines.end(),
                       [&](const auto& given) { return given.first == name; }))
        options.defines.emplace_back(name, value);
    if (described->entry != "main") options.entry = described->entry;
  }
  LoadError error;
  std::optional<LoadedModule> module = loadModule(path, options, error);
  if (!module) return failure(error.lines.empty() ? path + ": cannot be loaded" : error.lines[0]);
  if (module->isSource() && lines == Lines::Strip) return stripLines(module->words);
  return std::move(module->words);
}

Result<const ScenarioShader*> shaderFor(const Scenario& scenario, const std::string& name,
                                        const std::string& input) {
  std::vector<std::string> names;
  for (const ScenarioShader& shader : scenario.shaders) names.push_back(shader.name);
  if (!name.empty()) {
    if (const ScenarioShader* named = scenario.findShader(name)) return named;
    return failure(fmt::format("{}: there is no shader `{}`; its shaders are {}", scenario.path,
                               name, fmt::join(names, ", ")));
  }
  std::vector<const ScenarioShader*> found;
  auto collect = [&](auto&& isWanted) {
    if (found.empty())
      for (const ScenarioShader& shader : scenario.shaders)
        if (isWanted(shader)) found.push_back(&shader);
  };
  std::set<std::string> used;
  for (const ScenarioDispatch& dispatch : scenario.dispatches) used.insert(dispatch.shader);
  collect([&](const ScenarioShader& s) { return isSameFile(s.path, input); });
  collect(
      [&](const ScenarioShader& s) { return fs::path(s.path).stem() == fs::path(input).stem(); });
  collect([&](const ScenarioShader& s) { return used.count(s.name) != 0; });
  if (found.size() == 1) return found[0];
  return failure(fmt::format("{}: which shader {} stands for is not clear; give --shader=NAME, one "
                             "of {}",
                             scenario.path, input, fmt::join(names, ", ")));
}

} // namespace lanewise::driver
