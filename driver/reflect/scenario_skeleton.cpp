#include "reflect/scenario_skeleton.h"

#include "input/workload.h"
#include "reflect/reflection_report.h"
#include "support/failure.h"
#include "verify/program/reflect.h"
#include "verify/scenario/write_scenario.h"

#include <algorithm>
#include <fmt/format.h>

namespace lanewise::driver {
namespace {

constexpr size_t kCommentColumns = 98; // of a comment behind "# "
constexpr uint64_t kSeed = 0;

std::vector<std::string> wrapped(std::string text) {
  std::vector<std::string> lines;
  while (text.size() > kCommentColumns) {
    size_t space = text.rfind(' ', kCommentColumns);
    if (space == std::string::npos) space = text.find(' ');
    if (space == std::string::npos) break;
    lines.push_back(text.substr(0, space));
    text.erase(0, space + 1);
  }
  lines.push_back(std::move(text));
  return lines;
}

class Skeleton {
public:
  Skeleton(Scenario& scenario, const Reflection& reflection, const ModuleInterface& interface)
      : scenario_(scenario), shader_(scenario.shaders[0]), dispatch_(scenario.dispatches[0]),
        reflection_(reflection), interface_(interface), entry_(findEntry()) {}

  ScenarioTextNotes run(const std::string& name, const std::vector<std::string>& generated) {
    noteTop(name, generated);
    noteSpecConstants();
    for (const ScenarioBinding& bound : dispatch_.bindings) noteBuffer(bound);
    notePushConstants();
    const std::array<uint32_t, 3>& size = reflection_.workgroupSize;
    notes_.groups = fmt::format("Fill in: how many workgroups of {}x{}x{} invocations.", size[0],
                                size[1], size[2]);
    return std::move(notes_);
  }

private:
  const DescribedEntryPoint* findEntry() const {
    for (const DescribedEntryPoint& entry : interface_.entryPoints)
      if (entry.name == reflection_.entry && entry.stage == "compute") return &entry;
    return nullptr;
  }

  void noteTop(const std::string& name, const std::vector<std::string>& generated) {
    auto say = [&](const std::string& text) {
      for (std::string& line : wrapped(text)) notes_.top.push_back(std::move(line));
    };
    say(fmt::format("Made of what {} declares, by lanewise reflect --scenario. It runs as it is, "
                    "but what the shader is for, nothing declares: look for \"Fill in\". "
                    "docs/scenario.md has every key.",
                    name));
    for (const std::string& note : generated) say("Note: " + note);
  }

  void noteSpecConstants() {
    for (const DescribedSpecConstant& constant : interface_.specConstants) {
      const auto known = reflection_.specConstants.find(constant.id);
      if (known == reflection_.specConstants.end()) continue;
      notes_.specConstantTypes[constant.id] = known->second.type;
      std::string text = constant.type;
      if (!constant.name.empty()) text += " " + constant.name;
      const auto [at, isDefault] =
          shader_.specConstants.try_emplace(constant.id, known->second.defaultBits);
      for (size_t d = 0; d < 3; ++d)
        if (reflection_.workgroupSpecIds[d] == constant.id)
          text += fmt::format(", {} of the workgroup's size", "xyz"[d]);
      if (!isDefault && at->second != known->second.defaultBits)
        text += fmt::format("; default {}", defaultText(constant));
      notes_.specConstants[constant.id] = text;
    }
  }

  // ----- buffers -----

  const DescribedBinding* findBinding(const ScenarioBinding& bound) const {
    if (entry_)
      for (const DescribedBinding& binding : entry_->bindings)
        if (binding.set == bound.set && binding.binding == bound.binding) return &binding;
    return nullptr;
  }

  const ScenarioBuffer* findResource(const std::string& name) const {
    for (const ScenarioBuffer& buffer : scenario_.buffers)
      if (buffer.name == name) return &buffer;
    return nullptr;
  }

  void noteBuffer(const ScenarioBinding& bound) {
    const DescribedBinding* binding = findBinding(bound);
    const ScenarioBuffer* buffer = findResource(bound.buffer);
    if (!binding || !buffer || notes_.buffers.count(bound.buffer)) return;
    std::string kind = binding->kind;
    for (char& c : kind) c = c == '_' ? ' ' : char(std::tolower(static_cast<unsigned char>(c)));
    std::string text = fmt::format("Binding {}.{}, {}", bound.set, bound.binding, kind);
    if (binding->qualifiers.isReadOnly) text += ", readonly";
    if (binding->qualifiers.isWriteOnly) text += ", writeonly";
    const DescribedStruct* block = interface_.findStruct(binding->block.type.structName);
    const bool hasArray =
        block && !block->members.empty() && !block->members.back().type.extents.empty();
    if (hasArray) text += fmt::format(": elements are {}", block->members.back().name);
    text += buffer->image ? ". Fill in: its size and what it holds."
            : block && !hasArray
                ? ". Fill in: the values of its header; the element behind them is not used."
            : binding->qualifiers.isWriteOnly ? ". Fill in: how many."
                                              : ". Fill in: how many and what they hold.";
    notes_.buffers[bound.buffer] = text;
    if (!block) return;
    const size_t members = block->members.size() - (hasArray ? 1 : 0);
    for (size_t m = 0; m < members; ++m)
      noteMember(block->members[m], notes_.headers[bound.buffer]);
  }

  /// Also marks where it ends, so that padding behind it is not taken for a part of it.
  static void noteMember(const DescribedMember& member, std::map<uint64_t, std::string>& notes) {
    if (!member.offset) return;
    notes[*member.offset] =
        member.name.empty() ? member.type.text : member.type.text + " " + member.name;
    if (member.type.bytes) notes.try_emplace(*member.offset + *member.type.bytes);
  }

  void notePushConstants() {
    const ReflectedBlock& block = reflection_.pushConstants;
    for (const ReflectedField& field : block.header)
      notes_.pushConstantFields.push_back({field.offset, field.type});
    for (uint64_t n = 0; n < block.arrayLength; ++n)
      for (const ReflectedField& field : block.element)
        notes_.pushConstantFields.push_back(
            {block.arrayOffset + n * block.arrayStride + field.offset, field.type});
    if (!entry_ || !entry_->pushConstants) return;
    const DescribedStruct* described =
        interface_.findStruct(entry_->pushConstants->type.structName);
    if (!described) return;
    for (const DescribedMember& member : described->members)
      noteMember(member, notes_.pushConstants);
  }

  Scenario& scenario_;
  ScenarioShader& shader_;
  const ScenarioDispatch& dispatch_;
  const Reflection& reflection_;
  const ModuleInterface& interface_;
  const DescribedEntryPoint* entry_;
  ScenarioTextNotes notes_;
};

} // namespace

Result<std::string> scenarioSkeleton(const LoadedModule& module, const SkeletonRequest& request) {
  const std::string entry = request.load.entry.empty() ? "main" : request.load.entry;
  std::vector<std::string> generated;
  Result<Scenario> scenario = generateScenario({entry, module.words(), module.words()},
                                               request.assumptions, kSeed, generated);
  if (!scenario) return scenario.error();
  ScenarioShader& shader = scenario->shaders[0];
  Result<Reflection> reflection = reflect(module.words(), shader.entry, shader.specConstants);
  if (!reflection) return reflection.error();
  Result<ModuleInterface> interface = describeModule(module.words(), request.assumptions, "");
  if (!interface) return interface.error();
  const ScenarioTextNotes notes =
      Skeleton(*scenario, *reflection, *interface).run(request.name, generated);
  shader.path = request.file;
  for (const auto& [name, value] : request.load.defines) shader.defines[name] = value;
  return writeScenario(*scenario, notes);
}

} // namespace lanewise::driver
