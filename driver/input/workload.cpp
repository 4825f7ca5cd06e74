#include "input/workload.h"

#include "input/constant_use.h"
#include "layout/layout_manifest.h"
#include "support/failure.h"
#include "support/files.h"
#include "verify/program/stated_inputs.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace lanewise::driver {

namespace fs = std::filesystem;

Words wordsOf(const LoadedModule& module, Lines lines) {
  if (module.isSource() && lines == Lines::Strip) return stripLines(module.words());
  return module.words();
}

Result<ScenarioShaders> ScenarioShaders::read(const ScenarioChoice& choice, LoadOptions given,
                                              bool keepsQueueFaults) {
  Result<Scenario> scenario =
      readScenario(choice.path, ScenarioReading{choice.size, keepsQueueFaults, choice.values});
  if (!scenario) return scenario.error();
  ScenarioShaders shaders;
  shaders.choice_ = choice;
  shaders.scenario_ = std::move(*scenario);
  shaders.given_ = std::move(given);
  return shaders;
}

std::vector<const ScenarioShader*> ScenarioShaders::used() const {
  return shadersOfProgram(scenario_);
}

Result<const ScenarioShader*> ScenarioShaders::standsFor(const std::string& input) const {
  std::vector<std::string> names;
  for (const ScenarioShader& shader : scenario_.shaders) names.push_back(shader.name);
  if (!choice_.shader.empty()) {
    if (const ScenarioShader* named = scenario_.findShader(choice_.shader)) return named;
    return failure(fmt::format("{}: there is no shader `{}`; its shaders are {}", scenario_.path,
                               choice_.shader, fmt::join(names, ", ")));
  }
  std::vector<const ScenarioShader*> found;
  auto collect = [&](auto&& isWanted) {
    if (found.empty())
      for (const ScenarioShader& shader : scenario_.shaders)
        if (isWanted(shader)) found.push_back(&shader);
  };
  const std::vector<const ScenarioShader*> used = this->used();
  auto isUsed = [&](const ScenarioShader& s) {
    return std::find(used.begin(), used.end(), &s) != used.end();
  };
  auto hasName = [&](const ScenarioShader& s) {
    return fs::path(s.path).stem() == fs::path(input).stem();
  };
  collect([&](const ScenarioShader& s) { return isSameFile(s.path, input); });
  // A rival may have the same name in another language.
  collect([&](const ScenarioShader& s) { return hasName(s) && isUsed(s); });
  collect(hasName);
  collect(isUsed);
  if (found.size() == 1) return found[0];
  return failure(fmt::format("{}: which shader {} stands for is not clear; give --shader=NAME, one "
                             "of {}",
                             scenario_.path, input, fmt::join(names, ", ")));
}

Result<const ScenarioShader*> ScenarioShaders::firstOf(const std::string& input) const {
  if (choice_.shader.empty())
    for (const ScenarioShader& shader : scenario_.shaders)
      if (isSameFile(shader.path, input)) return &shader;
  return standsFor(input);
}

LoadOptions ScenarioShaders::optionsForStandIn(const ScenarioShader& shader) const {
  LoadOptions options = given_;
  for (const auto& [name, value] : shader.defines)
    if (std::none_of(given_.defines.begin(), given_.defines.end(),
                     [&](const auto& given) { return given.first == name; }))
      options.defines.emplace_back(name, value);
  if (options.entry.empty() && shader.entry != "main") options.entry = shader.entry;
  return options;
}

LoadOptions ScenarioShaders::optionsFor(const ScenarioShader& shader) const {
  LoadOptions options = optionsForStandIn(shader);
  options.kind.reset();
  options.stage.clear();
  options.entry = shader.entry == "main" ? "" : shader.entry;
  return options;
}

Result<Assumptions> ScenarioShaders::assumptionsFor(const ScenarioShader& shader,
                                                    const Module& module, Assumptions given) {
  SpecValues values = shader.written;
  std::erase_if(values, [&](const auto& one) { return given.specConstants.contains(one.first); });
  for (const auto& [id, bits] : shader.specConstants) given.specConstants.try_emplace(id, bits);
  if (Status s = driver::settle(module, values, ValuesFrom::Scenario, given); !s)
    return failure(fmt::format("shader `{}`: {}", shader.name, s.error().message));
  return given;
}

Status ScenarioShaders::settle(const std::string& name, const Module& module) {
  for (ScenarioShader& shader : scenario_.shaders) {
    if (shader.name != name || shader.written.empty()) continue;
    Result<Assumptions> settled = assumptionsFor(shader, module, {});
    if (!settled) return settled.error();
    shader.specConstants = std::move(settled->specConstants);
    shader.written.clear();
  }
  return ok();
}

Result<LoadedModule> ScenarioShaders::load(const ScenarioShader& shader) const {
  return loadModule(shader.path, optionsFor(shader));
}

Result<LoadedModule> ScenarioShaders::loadStandIn(const ScenarioShader& shader,
                                                  const std::string& path) const {
  return loadModule(path, optionsForStandIn(shader));
}

Result<std::string> ScenarioShaders::pathIn(const std::string& folder,
                                            const ScenarioShader& shader) const {
  for (const char* extension : {".spv", ".spvasm"}) {
    const std::string path = (fs::path(folder) / (shader.name + extension)).string();
    std::error_code ignored;
    if (fs::exists(path, ignored)) return path;
  }
  return failure(fmt::format("{}: it has no {}.spv for shader `{}`; write it with opt "
                             "--scenario={} -o {}",
                             folder, shader.name, shader.name, scenario_.path, folder));
}

std::vector<const ScenarioShader*> shadersOf(const Scenario& scenario,
                                             const std::vector<ScenarioDispatch>& dispatches) {
  std::set<std::string> used;
  for (const ScenarioDispatch& dispatch : dispatches) used.insert(dispatch.shader);
  std::vector<const ScenarioShader*> shaders;
  for (const ScenarioShader& shader : scenario.shaders)
    if (used.count(shader.name) != 0) shaders.push_back(&shader);
  return shaders;
}

std::vector<const ScenarioShader*> shadersOfProgram(const Scenario& scenario) {
  return shadersOf(scenario, scenario.dispatches);
}

std::string manifestIn(const std::string& folder) {
  const std::string path = (fs::path(folder) / "layout.json").string();
  std::error_code ignored;
  return fs::exists(path, ignored) ? path : std::string();
}

Result<LayoutManifest> layoutsOf(const ScenarioVariant& variant) {
  if (variant.layout.empty()) return LayoutManifest();
  return readLayoutManifest(variant.layout);
}

Result<Scenario> generateScenario(const ShaderPair& modules, const Assumptions& assumptions,
                                  uint64_t seed, std::vector<std::string>& notes,
                                  const SynthesisLimits& limits) {
  Result<Scenario> made = synthesizeScenario({&modules, 1}, assumptions, seed, notes, limits);
  if (made) {
    made->stated = assumptions.stated;
    if (!made->stated.empty()) meetStated(*made, modules.original, notes);
    return made;
  }
  return failure(fmt::format("no inputs could be generated: {}", made.error().str()));
}

} // namespace lanewise::driver
