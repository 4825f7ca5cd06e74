#include "tuning/program_builder.h"

#include "pipeline/opt_program.h"
#include "pipeline/tuned_pipeline.h"
#include "recorded/pipeline_sets.h"
#include "support/failure.h"
#include "support/files.h"
#include "support/sha256.h"
#include "verify/program/reflect.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <sstream>

namespace lanewise::driver {

namespace {

/// What parameters may not change: what the host sees would be something else.
Status checkSameBuffers(const Scenario& a, const Scenario& b) {
  for (size_t n = 0; n < a.buffers.size(); ++n)
    if (a.buffers[n].count != b.buffers[n].count || a.buffers[n].fill != b.buffers[n].fill ||
        a.buffers[n].bytes() != b.buffers[n].bytes())
      return failure(fmt::format("it changes size or contents of `{}`, so that outputs cannot be "
                                 "compared; a tunable parameter may change constants, groups and "
                                 "push constants",
                                 a.buffers[n].name));
  return ok();
}

std::string digestOf(const BuiltProgram& program) {
  Sha256 hash;
  for (const auto& [name, words] : program.modules) {
    hash.addField(name);
    hash.addField(bytesOf(words));
  }
  for (const auto& [name, constants] : program.constants)
    for (const auto& [id, bits] : constants) hash.addField(fmt::format("{} {} {}", name, id, bits));
  for (const auto& [name, size] : program.subgroupSizes)
    hash.addField(fmt::format("{} {}", name, size));
  for (const ScenarioDispatch& d : program.dispatches) {
    hash.addField(fmt::format("{} {} {}", d.shader, fmt::join(d.groups, ","), d.bindings.size()));
    hash.addField({reinterpret_cast<const char*>(d.pushConstants.data()), d.pushConstants.size()});
  }
  for (const auto& buffer : program.layouts.buffers) hash.addField(buffer.name);
  return hexOf(hash.finish());
}

} // namespace

Result<ProgramBuilder> ProgramBuilder::create(const ScenarioChoice& choice, const LoadOptions& load,
                                              const TargetProfile& target) {
  ProgramBuilder builder;
  builder.choice_ = choice;
  builder.load_ = load;
  builder.target_ = target;
  Result<std::shared_ptr<const ScenarioShaders>> shaders = builder.shadersWith({});
  if (!shaders) return shaders.error();
  builder.shaders_ = *shaders;
  for (const ScenarioShader* shader : builder.shaders_->used()) {
    Result<LoadedModule> module = builder.shaders_->load(*shader);
    if (!module) return module.error();
    builder.inputs_[shader->name] = wordsOf(*module, Lines::Strip);
    builder.loaded_[shader->name] = std::move(*module);
  }
  Result<std::shared_ptr<const ScenarioShaders>> settled = builder.settled(*builder.shaders_);
  if (!settled) return settled.error();
  builder.shaders_ = builder.byValues_[{}] = std::move(*settled);
  return builder;
}

Result<std::shared_ptr<const ScenarioShaders>>
ProgramBuilder::shadersWith(const Parameters& values) {
  if (const auto known = byValues_.find(values); known != byValues_.end()) return known->second;
  ScenarioChoice choice = choice_;
  choice.values = values;
  Result<ScenarioShaders> read = ScenarioShaders::read(choice, load_);
  if (!read) return read.error();
  if (!read->scenario().unmet.empty())
    return failure(fmt::format("it does not meet `{}`", read->scenario().unmet));
  if (shaders_)
    if (Status s = checkSameBuffers(scenario(), read->scenario()); !s) return s.error();
  Result<std::shared_ptr<const ScenarioShaders>> made = settled(std::move(*read));
  if (!made) return made.error();
  return byValues_[values] = std::move(*made);
}

Result<std::shared_ptr<const ScenarioShaders>>
ProgramBuilder::settled(ScenarioShaders shaders) const {
  for (const auto& [name, module] : loaded_)
    if (Status s = shaders.settle(name, *module.read); !s)
      return failure(fmt::format("{}: {}", choice_.path, s.error().message));
  return std::make_shared<const ScenarioShaders>(std::move(shaders));
}

bool ProgramBuilder::meetsConstraints(const Parameters& values) const {
  ScenarioChoice choice = choice_;
  choice.values = values;
  const Result<ScenarioShaders> read = ScenarioShaders::read(choice, load_);
  return read && read->scenario().unmet.empty();
}

Result<LoadedModule> ProgramBuilder::moduleFor(const ScenarioShader& shader, bool freezes) const {
  LoadedModule module = loaded_.at(shader.name);
  if (!freezes) return module;
  PipelineSet set;
  set.assumptions.specConstants = shader.specConstants;
  Result<Words> frozen = frozenFor(set, *module.read);
  if (!frozen) return frozen.error();
  Result<Module> read = Module::read(std::move(*frozen));
  if (!read) return read.error();
  module.read = KeptModule(std::move(*read));
  return module;
}

Result<BuiltProgram> ProgramBuilder::build(const Candidate& candidate) {
  Result<std::shared_ptr<const ScenarioShaders>> shaders = shadersWith(candidate.values);
  if (!shaders) return shaders.error();
  Result<TunedPasses> passes = parseTuned(candidate.passes, candidate.skip);
  if (!passes) return passes.error();
  OptOptions options;
  options.steps = std::move(passes->steps);
  options.pipeline.skip = std::move(passes->skip);
  options.pipeline.target = target_;
  options.pipeline.target.setSubgroupSize(candidate.subgroupSize);
  std::vector<ProgramModule> modules;
  for (const ScenarioShader* shader : (*shaders)->used()) {
    Result<LoadedModule> module = moduleFor(*shader, candidate.freezes);
    if (!module) return module.error();
    modules.push_back({shader, std::move(*module), {}});
  }
  std::ostringstream log;
  Result<OptimizedProgram> made =
      optimizeProgram(**shaders, std::move(modules), options, nullptr, log);
  if (!made) return made.error();
  BuiltProgram built;
  built.candidate = candidate;
  for (ProgramModule& m : made->modules) {
    const Words& words = m.outcome.words;
    built.modules[m.shader->name] = m.module.isSource() ? stripLines(words) : words;
    if (!candidate.freezes) built.constants[m.shader->name] = m.shader->specConstants;
    const uint32_t own = m.shader->subgroupSize;
    if (const uint32_t size = own != 0 ? own : candidate.subgroupSize; size != 0)
      built.subgroupSizes[m.shader->name] = size;
    std::ranges::move(m.outcome.remarks, std::back_inserter(built.remarks));
  }
  std::ranges::move(made->remarks, std::back_inserter(built.remarks));
  built.layouts = std::move(made->layouts);
  built.dispatches = (*shaders)->scenario().dispatches;
  built.repeat = (*shaders)->scenario().repeat;
  built.digest = digestOf(built);
  return built;
}

Result<SpaceFacts> ProgramBuilder::facts(const Parameters& values) {
  Result<std::shared_ptr<const ScenarioShaders>> shaders = shadersWith(values);
  if (!shaders) return shaders.error();
  SpaceFacts facts;
  for (const ScenarioShader* shader : (*shaders)->used()) {
    Result<Reflection> seen =
        reflect(inputs_.at(shader->name), shader->entry == "main" ? "" : shader->entry,
                shader->specConstants);
    if (!seen) return failure(fmt::format("{}: {}", shader->path, seen.error().message));
    facts.workgroupSizes.push_back(seen->workgroupSize);
    facts.hasSpecConstants |= !seen->specConstants.empty();
    facts.hasSubgroupOperations |= hasSubgroupOperations(*seen);
  }
  return facts;
}

} // namespace lanewise::driver
