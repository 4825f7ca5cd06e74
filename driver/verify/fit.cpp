#include "verify/fit.h"

#include "verify/failure.h"

#include <algorithm>
#include <fmt/format.h>

namespace lanewise::driver {
namespace {

class Fitter {
public:
  Fitter(const Scenario& scenario, const ProgramVariant& variant, std::vector<std::string>& notes)
      : scenario_(scenario), variant_(variant), notes_(notes) {}

  Result<Program> run() {
    program_.name = variant_.name;
    program_.repeat = scenario_.repeat;
    const auto& dispatches =
        variant_.dispatches.empty() ? scenario_.dispatches : variant_.dispatches;
    for (const ScenarioDispatch& dispatch : dispatches) {
      Result<uint32_t> shader = shaderIndex(dispatch.shader);
      if (!shader) return shader.error();
      Status fitted = addDispatch(dispatch, *shader);
      if (!fitted) return fitted.error();
    }
    return std::move(program_);
  }

private:
  Error wrong(const std::string& shader, std::string_view what) const {
    return failure(fmt::format("{}: shader `{}`: {}", variant_.name, shader, what));
  }
  void note(std::string text) {
    if (std::find(notes_.begin(), notes_.end(), text) == notes_.end())
      notes_.push_back(std::move(text));
  }

  Result<uint32_t> shaderIndex(const std::string& name) {
    for (uint32_t i = 0; i < program_.shaders.size(); ++i)
      if (program_.shaders[i].name == name) return i;
    const ScenarioShader* described = scenario_.findShader(name);
    auto module = variant_.modules.find(name);
    if (!described || module == variant_.modules.end())
      return wrong(name, "the scenario dispatches it but no module was given for it");
    Result<Reflection> reflection =
        reflect(module->second, described->entry, described->specConstants);
    if (!reflection) return wrong(name, reflection.error().str());
    for (const auto& [id, bits] : described->specConstants)
      if (!reflection->specConstants.count(id))
        note(fmt::format("{}: shader `{}` has no specialization constant {}", variant_.name, name,
                         id));
    program_.shaders.push_back(
        {name, module->second, described->specConstants, std::move(*reflection)});
    return uint32_t(program_.shaders.size() - 1);
  }

  Status addDispatch(const ScenarioDispatch& from, uint32_t shader) {
    const Reflection& reflection = program_.shaders[shader].reflection;
    ProgramDispatch dispatch;
    dispatch.shader = shader;
    dispatch.groups = from.groups;
    for (const ReflectedBinding& binding : reflection.bindings) {
      // The device says no to these, with the reason; they are no fault of the scenario.
      if (binding.kind == ReflectedBinding::Kind::Unsupported) continue;
      Status bound = bind(from, binding, dispatch);
      if (!bound) return bound;
    }
    for (const ScenarioBinding& given : from.bindings)
      if (!reflection.findBinding(given.set, given.binding))
        note(fmt::format("{}: shader `{}` does not use binding {}.{}, which has buffer `{}`",
                         variant_.name, from.shader, given.set, given.binding, given.buffer));
    if (from.pushConstants.size() < reflection.pushConstantBytes)
      return wrong(from.shader,
                   fmt::format("it takes {} bytes of push constants but its dispatch "
                               "gives {}; add to `push_constants`",
                               reflection.pushConstantBytes, from.pushConstants.size()));
    if (from.pushConstants.size() > (reflection.pushConstantBytes + 3) / 4 * 4)
      note(fmt::format("{}: shader `{}` takes {} bytes of push constants, its dispatch gives {}",
                       variant_.name, from.shader, reflection.pushConstantBytes,
                       from.pushConstants.size()));
    dispatch.pushConstants = from.pushConstants;
    dispatch.pushConstants.resize((reflection.pushConstantBytes + 3) / 4 * 4);
    program_.dispatches.push_back(std::move(dispatch));
    return ok();
  }

  Status bind(const ScenarioDispatch& from, const ReflectedBinding& binding,
              ProgramDispatch& to) const {
    for (const ScenarioBinding& given : from.bindings) {
      if (given.set != binding.set || given.binding != binding.binding) continue;
      uint32_t index = 0;
      while (scenario_.buffers[index].name != given.buffer)
        ++index; // the reader saw that it exists
      const ScenarioBuffer& buffer = scenario_.buffers[index];
      bool isUniform = binding.kind == ReflectedBinding::Kind::UniformBuffer;
      if (buffer.isUniform != isUniform)
        return wrong(from.shader, fmt::format("{} is a {} buffer but `{}` is declared as {}; "
                                              "set its `kind` to \"{}\"",
                                              placeOf(binding), isUniform ? "uniform" : "storage",
                                              buffer.name, buffer.isUniform ? "uniform" : "storage",
                                              isUniform ? "uniform" : "storage"));
      if (buffer.bytes() < binding.block.fixedBytes)
        return wrong(from.shader, fmt::format("{} needs {} bytes at least but buffer `{}` has "
                                              "{}; raise its `count`",
                                              placeOf(binding), binding.block.fixedBytes,
                                              buffer.name, buffer.bytes()));
      to.bindings.push_back({given.set, given.binding, index});
      return ok();
    }
    return wrong(from.shader,
                 fmt::format("{} has no buffer; add \"{}{}\" to the `bind` of its "
                             "dispatch",
                             placeOf(binding), binding.set ? fmt::format("{}.", binding.set) : "",
                             binding.binding));
  }

  const Scenario& scenario_;
  const ProgramVariant& variant_;
  std::vector<std::string>& notes_;
  Program program_;
};

} // namespace

Result<Program> fitProgram(const Scenario& scenario, const ProgramVariant& variant,
                           std::vector<std::string>& notes) {
  return Fitter(scenario, variant, notes).run();
}

} // namespace lanewise::driver
