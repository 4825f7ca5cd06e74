#include "transpile/stage.h"

#include "analysis/module/entry_points.h"
#include "support/failure.h"

#include <algorithm>
#include <fmt/format.h>
#include <initializer_list>
#include <vector>

namespace lanewise::driver {

namespace {

using Model = spv::ExecutionModel;

struct Extension {
  Model model;
  std::string_view name;
};
constexpr Extension kExtensions[] = {
    {Model::Vertex, "vert"},
    {Model::TessellationControl, "tesc"},
    {Model::TessellationEvaluation, "tese"},
    {Model::Geometry, "geom"},
    {Model::Fragment, "frag"},
    {Model::GLCompute, "comp"},
    {Model::TaskEXT, "task"},
    {Model::MeshEXT, "mesh"},
    {Model::RayGenerationKHR, "rgen"},
    {Model::IntersectionKHR, "rint"},
    {Model::AnyHitKHR, "rahit"},
    {Model::ClosestHitKHR, "rchit"},
    {Model::MissKHR, "rmiss"},
    {Model::CallableKHR, "rcall"},
};

std::vector<ChosenEntry> entriesOf(const Module& module) {
  std::vector<ChosenEntry> all;
  for (InstRef i : module.globals())
    if (module.opcode(i) == spv::Op::OpEntryPoint)
      all.push_back({std::string(module.stringAt(i, 3)), Model(module.word(i, 1)), {}});
  return all;
}

/// "'main' (vertex), 'main' (fragment)"
std::string listed(const std::vector<ChosenEntry>& entries) {
  std::string list;
  for (const ChosenEntry& e : entries)
    list += fmt::format("{}'{}' ({})", list.empty() ? "" : ", ", e.name, stageName(e.model));
  return list;
}

std::string howToChoose(const std::vector<ChosenEntry>& meant) {
  const bool hasOneName = std::all_of(meant.begin(), meant.end(), [&](const ChosenEntry& e) {
    return e.name == meant.front().name;
  });
  std::string stages;
  for (const ChosenEntry& e : meant)
    if (const std::string_view stage = extensionOf(e.model);
        !stage.empty() && stages.find(stage) == std::string::npos)
      stages += fmt::format("{}--shader-stage={}", stages.empty() ? "" : " or ", stage);
  if (hasOneName) return stages;
  // Of one stage: the stage chooses nothing.
  const bool hasOneStage = std::all_of(meant.begin(), meant.end(), [&](const ChosenEntry& e) {
    return e.model == meant.front().model;
  });
  return hasOneStage || stages.empty() ? "--entry=NAME" : "--entry=NAME or " + stages;
}

} // namespace

std::string_view extensionOf(Model model) {
  for (const Extension& e : kExtensions)
    if (e.model == model) return e.name;
  return {};
}

Result<ChosenEntry> chooseEntry(const Module& module, const std::string& name,
                                const std::string& stage) {
  const std::vector<ChosenEntry> all = entriesOf(module);
  if (all.empty()) return failure("the module has no entry point");
  std::vector<ChosenEntry> meant;
  for (const ChosenEntry& e : all)
    if ((name.empty() || e.name == name) && (stage.empty() || extensionOf(e.model) == stage))
      meant.push_back(e);
  if (meant.empty())
    return failure(fmt::format("the module has no entry point{}{}; it has {}",
                               name.empty() ? "" : fmt::format(" '{}'", name),
                               stage.empty() ? "" : fmt::format(" of stage {}", stage),
                               listed(all)));
  if (meant.size() == 1) return meant.front();
  const auto isCompute = [](const ChosenEntry& e) { return e.isCompute(); };
  if (std::count_if(meant.begin(), meant.end(), isCompute) != 1)
    return failure(fmt::format("the module has several entry points, {}; choose one with {}",
                               listed(meant), howToChoose(meant)));
  ChosenEntry chosen = *std::find_if(meant.begin(), meant.end(), isCompute);
  meant.erase(std::find_if(meant.begin(), meant.end(), isCompute));
  chosen.others = fmt::format("this is the compute shader '{}'; the module also has {}, which "
                              "--entry and --shader-stage choose",
                              chosen.name, listed(meant));
  return chosen;
}

Words emptyShader(Model model) {
  constexpr uint32_t kVersion14 = 0x00010400;
  constexpr uint32_t kVoid = 1, kType = 2, kMain = 3, kLabel = 4, kBound = 5;
  Words words{spv::MagicNumber, kVersion14, 0, kBound, 0};
  auto add = [&](spv::Op op, std::initializer_list<uint32_t> operands) {
    words.push_back(uint32_t(operands.size() + 1) << 16 | uint32_t(op));
    words.insert(words.end(), operands);
  };
  auto addMode = [&](spv::ExecutionMode mode, std::initializer_list<uint32_t> literals) {
    words.push_back(uint32_t(literals.size() + 3) << 16 | uint32_t(spv::Op::OpExecutionMode));
    words.insert(words.end(), {kMain, uint32_t(mode)});
    words.insert(words.end(), literals);
  };
  for (auto capability :
       {spv::Capability::Shader, spv::Capability::Geometry, spv::Capability::Tessellation,
        spv::Capability::MeshShadingEXT, spv::Capability::RayTracingKHR})
    add(spv::Op::OpCapability, {uint32_t(capability)});
  add(spv::Op::OpMemoryModel,
      {uint32_t(spv::AddressingModel::Logical), uint32_t(spv::MemoryModel::GLSL450)});
  constexpr uint32_t kMainString = 'm' | 'a' << 8 | 'i' << 16 | 'n' << 24;
  add(spv::Op::OpEntryPoint, {uint32_t(model), kMain, kMainString, 0});
  switch (model) {
  case Model::Fragment:
    addMode(spv::ExecutionMode::OriginUpperLeft, {});
    break;
  case Model::Geometry:
    addMode(spv::ExecutionMode::Triangles, {});
    addMode(spv::ExecutionMode::OutputTriangleStrip, {});
    addMode(spv::ExecutionMode::OutputVertices, {3});
    addMode(spv::ExecutionMode::Invocations, {1});
    break;
  case Model::TessellationControl:
    addMode(spv::ExecutionMode::OutputVertices, {3});
    break;
  case Model::TessellationEvaluation:
    addMode(spv::ExecutionMode::Triangles, {});
    addMode(spv::ExecutionMode::SpacingEqual, {});
    addMode(spv::ExecutionMode::VertexOrderCcw, {});
    break;
  case Model::MeshEXT:
    addMode(spv::ExecutionMode::OutputVertices, {3});
    addMode(spv::ExecutionMode::OutputPrimitivesEXT, {1});
    addMode(spv::ExecutionMode::OutputTrianglesEXT, {});
    [[fallthrough]];
  case Model::TaskEXT:
  case Model::GLCompute:
    addMode(spv::ExecutionMode::LocalSize, {1, 1, 1});
    break;
  default:
    break;
  }
  add(spv::Op::OpTypeVoid, {kVoid});
  add(spv::Op::OpTypeFunction, {kType, kVoid});
  add(spv::Op::OpFunction, {kVoid, kMain, 0, kType});
  add(spv::Op::OpLabel, {kLabel});
  add(spv::Op::OpReturn, {});
  add(spv::Op::OpFunctionEnd, {});
  return words;
}

} // namespace lanewise::driver
