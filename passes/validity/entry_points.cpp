// Entry points, their interfaces, execution modes, and which functions they reach (SPIR-V 2.16.1,
// 3.42.2).

#include "ir/grammar_names.h"
#include "ir/newer_enumerants.h"
#include "text/format_text.h"
#include "validity/module_rules.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace lanewise::validity {

namespace {

using spv::ExecutionMode;
using spv::ExecutionModel;
using spv::Op;
using spv::StorageClass;

struct EntryPoint {
  InstRef at;
  ExecutionModel model;
  Id function;
  std::string_view name;
  uint32_t interfaceWord;
};

class EntryPointChecker {
public:
  EntryPointChecker(Subject& s, const Uses& uses) : s_(s), m_(s.module), uses_(uses) {}
  bool run();

private:
  void collect();
  bool checkNames();
  bool checkFunctionType(const EntryPoint& e);
  bool checkInterface(const EntryPoint& e);
  bool checkModes();
  bool checkModel(InstRef i, ExecutionMode mode, ExecutionModel model);
  bool checkNeeded(const EntryPoint& e);
  bool has(Id function, ExecutionMode mode) const {
    return std::binary_search(modes_.begin(), modes_.end(),
                              std::pair(function.value, uint32_t(mode)));
  }
  uint32_t count(Id function, std::initializer_list<ExecutionMode> list) const {
    return uint32_t(std::count_if(list.begin(), list.end(),
                                  [&](ExecutionMode mode) { return has(function, mode); }));
  }

  void collectNeeds();
  bool belongsToInterface(Id variable) const;
  bool checkReach(const EntryPoint& e);
  bool checkCalls();

  /// What instructions of a function ask of the entry points that reach it.
  enum Needs : uint8_t { kFragment = 1, kDerivatives = 2 };
  bool checkNeeds(const EntryPoint& e, uint8_t needs);

  static constexpr uint32_t kListsAllSince = 0x00010400;
  Subject& s_;
  const Module& m_;
  const Uses& uses_;
  std::vector<EntryPoint> entryPoints_;
  std::vector<std::pair<uint32_t, uint32_t>> modes_; ///< function, mode; sorted
  std::vector<uint8_t> needs_;                       ///< by FunctionRef
  size_t steps_ = 0; ///< over all entry points: what they reach may be the same again and again
};

void EntryPointChecker::collect() {
  for (InstRef i : m_.globals()) {
    const Op op = m_.opcode(i);
    if (op == Op::OpEntryPoint) {
      const std::string_view name = m_.stringAt(i, 3);
      entryPoints_.push_back({i, ExecutionModel(m_.word(i, 1)), m_.idAt(i, 2), name,
                              3 + uint32_t(name.size() / 4) + 1});
    } else if (op == Op::OpExecutionMode || op == Op::OpExecutionModeId) {
      modes_.emplace_back(m_.word(i, 1), m_.word(i, 2));
    }
  }
  std::sort(modes_.begin(), modes_.end());
}

bool EntryPointChecker::checkNames() {
  std::vector<const EntryPoint*> order;
  for (const EntryPoint& e : entryPoints_) order.push_back(&e);
  const auto key = [](const EntryPoint* e) {
    return std::tuple(e->name, uint32_t(e->model), e->at);
  };
  std::sort(order.begin(), order.end(),
            [&](const EntryPoint* a, const EntryPoint* b) { return key(a) < key(b); });
  for (size_t n = 1; n < order.size(); ++n)
    if (order[n]->name == order[n - 1]->name && order[n]->model == order[n - 1]->model)
      return s_.fail(order[n]->at, formatText("is a second entry point '{}' of its execution model",
                                              order[n]->name));
  return true;
}

bool EntryPointChecker::checkFunctionType(const EntryPoint& e) {
  const InstRef function = m_.def(e.function);
  if (!function) return true;
  const InstRef type = m_.def(m_.idAt(function, 4));
  if (e.model != ExecutionModel::Kernel && type && m_.wordCount(type) != 3)
    return s_.fail(e.at, formatText("names function %{}, which has parameters", e.function.value),
                   e.function);
  const Shape& result = s_.shapeOfType(m_.idAt(function, 1));
  return result.isOpen() || result.kind == Kind::Void ||
         s_.fail(e.at,
                 formatText("names function %{}, which returns {}", e.function.value,
                            describeType(m_, m_.idAt(function, 1))),
                 e.function);
}

bool EntryPointChecker::checkInterface(const EntryPoint& e) {
  std::vector<Id> listed;
  for (uint32_t word = e.interfaceWord; word < m_.wordCount(e.at); ++word) {
    const Id id = m_.idAt(e.at, word);
    const InstRef d = m_.def(id);
    if (!d || m_.facts(d).opClass == OpClass::Unknown) continue;
    if (!isVariable(m_.opcode(d)))
      return s_.fail(
          e.at, formatText("lists %{} ({}), which is no variable", id.value, m_.facts(d).name), id);
    const auto storage = StorageClass(m_.word(d, 3));
    if (storage == StorageClass::Function)
      return s_.fail(e.at, formatText("lists %{}, a variable of a function", id.value), id);
    if (m_.version() < kListsAllSince && storage != StorageClass::Input &&
        storage != StorageClass::Output)
      return s_.fail(
          e.at, formatText("lists %{}, which is neither in Input nor in Output", id.value), id);
    listed.push_back(id);
  }
  if (m_.version() < kListsAllSince) return true;
  std::sort(listed.begin(), listed.end());
  const auto twice = std::adjacent_find(listed.begin(), listed.end());
  return twice == listed.end() ||
         s_.fail(e.at, formatText("lists %{} twice", twice->value), *twice);
}

/// Which execution models a mode goes with.
bool EntryPointChecker::checkModel(InstRef i, ExecutionMode mode, ExecutionModel model) {
  const auto is = [&](std::initializer_list<ExecutionModel> list) {
    const bool fits = std::find(list.begin(), list.end(), model) != list.end();
    return fits || s_.fail(i, "goes with another execution model than that of the entry point");
  };
  using enum ExecutionModel;
  switch (mode) {
  case ExecutionMode::Invocations:
  case ExecutionMode::InputPoints:
  case ExecutionMode::InputLines:
  case ExecutionMode::InputLinesAdjacency:
  case ExecutionMode::InputTrianglesAdjacency:
  case ExecutionMode::OutputLineStrip:
  case ExecutionMode::OutputTriangleStrip:
    return is({Geometry});
  case ExecutionMode::OutputPoints:
    return is({Geometry, MeshNV, MeshEXT});
  case ExecutionMode::SpacingEqual:
  case ExecutionMode::SpacingFractionalEven:
  case ExecutionMode::SpacingFractionalOdd:
  case ExecutionMode::VertexOrderCw:
  case ExecutionMode::VertexOrderCcw:
  case ExecutionMode::PointMode:
  case ExecutionMode::Quads:
  case ExecutionMode::Isolines:
    return is({TessellationControl, TessellationEvaluation});
  case ExecutionMode::Triangles:
    return is({Geometry, TessellationControl, TessellationEvaluation});
  case ExecutionMode::OutputVertices:
    return is({Geometry, TessellationControl, TessellationEvaluation, MeshNV, MeshEXT});
  case ExecutionMode::PixelCenterInteger:
  case ExecutionMode::OriginUpperLeft:
  case ExecutionMode::OriginLowerLeft:
  case ExecutionMode::EarlyFragmentTests:
  case ExecutionMode::DepthReplacing:
  case ExecutionMode::DepthGreater:
  case ExecutionMode::DepthLess:
  case ExecutionMode::DepthUnchanged:
    return is({Fragment});
  case ExecutionMode::LocalSizeHint:
  case ExecutionMode::VecTypeHint:
  case ExecutionMode::ContractionOff:
    return is({Kernel});
  case ExecutionMode::LocalSize:
  case ExecutionMode::LocalSizeId:
    return is({Kernel, GLCompute, MeshNV, TaskNV, MeshEXT, TaskEXT});
  default:
    return true;
  }
}

bool EntryPointChecker::checkModes() {
  std::map<uint32_t, std::vector<ExecutionModel>> models;
  for (const EntryPoint& e : entryPoints_) models[e.function.value].push_back(e.model);
  for (InstRef i : m_.globals()) {
    const Op op = m_.opcode(i);
    if (op != Op::OpExecutionMode && op != Op::OpExecutionModeId) continue;
    const auto found = models.find(m_.word(i, 1));
    if (found == models.end()) {
      if (m_.hasUnknown()) continue;
      return s_.fail(i, formatText("names %{}, which is no entry point", m_.word(i, 1)),
                     m_.idAt(i, 1));
    }
    const auto mode = ExecutionMode(m_.word(i, 2));
    for (ExecutionModel model : found->second)
      if (!checkModel(i, mode, model)) return false;
    const bool isId = mode == ExecutionMode::LocalSizeId ||
                      mode == ExecutionMode::LocalSizeHintId ||
                      mode == ExecutionMode::SubgroupsPerWorkgroupId;
    if (isId != (op == Op::OpExecutionModeId) && (isId || uint32_t(mode) < 4096))
      return s_.fail(i, isId ? "takes ids: it goes with OpExecutionModeId"
                             : "takes no ids: it goes with OpExecutionMode");
    if (isId)
      for (uint32_t word = 3; word < m_.wordCount(i); ++word)
        if (m_.def(m_.idAt(i, word)) && !s_.isConstant(m_.idAt(i, word)))
          return s_.fail(i, formatText("takes %{}, which is no constant", m_.word(i, word)));
  }
  return true;
}

/// What a shader of an execution model must say of itself.
bool EntryPointChecker::checkNeeded(const EntryPoint& e) {
  const Id f = e.function;
  switch (e.model) {
  case ExecutionModel::Fragment:
    return count(f, {ExecutionMode::OriginUpperLeft, ExecutionMode::OriginLowerLeft}) == 1 ||
           s_.fail(e.at, "is a fragment shader with not exactly one execution mode for its origin");
  case ExecutionModel::Geometry:
    if (count(f, {ExecutionMode::InputPoints, ExecutionMode::InputLines,
                  ExecutionMode::InputLinesAdjacency, ExecutionMode::Triangles,
                  ExecutionMode::InputTrianglesAdjacency}) != 1)
      return s_.fail(e.at, "is a geometry shader with not exactly one kind of input primitive");
    return count(f, {ExecutionMode::OutputPoints, ExecutionMode::OutputLineStrip,
                     ExecutionMode::OutputTriangleStrip}) == 1 ||
           s_.fail(e.at, "is a geometry shader with not exactly one kind of output primitive");
  case ExecutionModel::MeshEXT:
    return (count(f, {ExecutionMode::OutputPoints, ExecutionMode::OutputLinesEXT,
                      ExecutionMode::OutputTrianglesEXT}) == 1 &&
            count(f, {ExecutionMode::OutputPrimitivesEXT, ExecutionMode::OutputVertices}) == 2) ||
           s_.fail(e.at, "is a mesh shader that does not say what it puts out");
  case ExecutionModel::TessellationControl:
  case ExecutionModel::TessellationEvaluation:
    return (count(f, {ExecutionMode::SpacingEqual, ExecutionMode::SpacingFractionalEven,
                      ExecutionMode::SpacingFractionalOdd}) <= 1 &&
            count(f, {ExecutionMode::Triangles, ExecutionMode::Quads, ExecutionMode::Isolines}) <=
                1 &&
            count(f, {ExecutionMode::VertexOrderCw, ExecutionMode::VertexOrderCcw}) <= 1) ||
           s_.fail(e.at, "is a tessellation shader with contradictory execution modes");
  default:
    return true;
  }
}

bool needsFragment(Op op) {
  return op == Op::OpKill || op == Op::OpTerminateInvocation;
}

bool needsDerivatives(Op op) {
  switch (op) {
  case Op::OpImageSampleImplicitLod:
  case Op::OpImageSampleDrefImplicitLod:
  case Op::OpImageSampleProjImplicitLod:
  case Op::OpImageSampleProjDrefImplicitLod:
  case Op::OpImageSparseSampleImplicitLod:
  case Op::OpImageSparseSampleDrefImplicitLod:
    return true;
  default:
    return op >= Op::OpDPdx && op <= Op::OpFwidthCoarse;
  }
}

/// Without neighbours to differ from.
bool hasNoDerivatives(ExecutionModel model) {
  return model == ExecutionModel::Vertex || model == ExecutionModel::TessellationControl ||
         model == ExecutionModel::TessellationEvaluation || model == ExecutionModel::Geometry;
}

bool EntryPointChecker::checkNeeds(const EntryPoint& e, uint8_t needs) {
  if (needs & kFragment && e.model != ExecutionModel::Fragment)
    return s_.fail(e.at, "is no fragment shader, but ends invocations");
  return !(needs & kDerivatives) || !hasNoDerivatives(e.model) ||
         s_.fail(e.at, "has derivatives, which its execution model does not");
}

void EntryPointChecker::collectNeeds() {
  needs_.resize(m_.functionCount() + 1);
  for (uint32_t b = 1; b <= m_.blockCount(); ++b)
    if (needsFragment(m_.opcode(m_.terminator(BlockRef(b)))))
      needs_[m_.functionOf(BlockRef(b)).value] |= kFragment;
  if (std::none_of(entryPoints_.begin(), entryPoints_.end(),
                   [](const EntryPoint& e) { return hasNoDerivatives(e.model); }))
    return;
  for (uint32_t f = 1; f <= m_.functionCount(); ++f)
    for (InstRef i : m_.functionInsts(FunctionRef(f)))
      if (needsDerivatives(m_.opcode(i))) needs_[f] |= kDerivatives;
}

bool EntryPointChecker::belongsToInterface(Id variable) const {
  if (m_.version() >= kListsAllSince) return true;
  const auto storage = StorageClass(m_.word(m_.def(variable), 3));
  return storage == StorageClass::Input || storage == StorageClass::Output;
}

/// Every variable of the interface that the entry point's functions use is listed.
bool EntryPointChecker::checkReach(const EntryPoint& e) {
  constexpr size_t kMostSteps = 20'000'000;
  const FunctionRef start = m_.functionOfId(e.function);
  if (!start) return true;
  std::vector<Id> listed;
  for (uint32_t word = e.interfaceWord; word < m_.wordCount(e.at); ++word)
    listed.push_back(m_.idAt(e.at, word));
  std::sort(listed.begin(), listed.end());
  std::vector<bool> met(m_.functionCount() + 1, false);
  std::vector<FunctionRef> open{start};
  met[start.value] = true;
  steps_ += m_.functionCount();
  while (!open.empty()) {
    const FunctionRef f = open.back();
    open.pop_back();
    steps_ += uses_.variables[f.value].size() + uses_.calls[f.value].size();
    if (steps_ > kMostSteps) return true;
    if (!checkNeeds(e, needs_[f.value])) return false;
    for (Id id : uses_.variables[f.value])
      if (belongsToInterface(id) && !std::binary_search(listed.begin(), listed.end(), id))
        return s_.fail(e.at, formatText("uses variable %{}, but does not list it", id.value), id);
    for (FunctionRef g : uses_.calls[f.value])
      if (!met[g.value]) met[g.value] = true, open.push_back(g);
  }
  return true;
}

bool EntryPointChecker::checkCalls() {
  std::vector<bool> called(m_.functionCount() + 1, false);
  for (const std::vector<FunctionRef>& list : uses_.calls)
    for (FunctionRef g : list) called[g.value] = true;
  for (const EntryPoint& e : entryPoints_)
    if (const FunctionRef f = m_.functionOfId(e.function); f && called[f.value])
      return s_.fail(e.at, formatText("names function %{}, which is also called", e.function.value),
                     e.function);
  return true;
}

bool EntryPointChecker::run() {
  collect();
  if (entryPoints_.empty() && !s_.has(spv::Capability::Linkage) && !m_.hasUnknown() &&
      !s_.has(newer::Capability::GraphARM)) {
    s_.fault = Error{"the module has no entry point", Module::kHeaderWords, 0, {}};
    return false;
  }
  if (!checkNames() || !checkModes()) return false;
  collectNeeds();
  for (const EntryPoint& e : entryPoints_) {
    if (!checkFunctionType(e) || !checkInterface(e)) return false;
    if (s_.isShader && !checkNeeded(e)) return false;
    if (!m_.hasUnknown() && !checkReach(e)) return false;
  }
  return checkCalls();
}

} // namespace

bool checkEntryPoints(Subject& s, const Uses& uses) {
  return EntryPointChecker(s, uses).run();
}

} // namespace lanewise::validity
