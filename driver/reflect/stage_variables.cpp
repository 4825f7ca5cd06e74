#include "reflect/stage_variables.h"

#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/def_use.h"
#include "analysis/module/types.h"
#include "ir/enumerant_names.h"

#include <algorithm>
#include <fmt/format.h>

namespace lanewise::driver {
namespace {

using Kind = TypeInfo::Kind;
using Model = spv::ExecutionModel;

std::string builtInName(uint32_t builtIn) {
  const std::string_view name = enumerantName(NamedEnum::BuiltIn, builtIn);
  return name.empty() ? fmt::format("built-in {}", builtIn) : std::string(name);
}

class StageVariables {
public:
  StageVariables(Analyses& analyses, TypeDescriber& types, const EntryPoint& entry,
                 DescribedEntryPoint& to)
      : analyses_(analyses), module_(analyses.module()), describer_(types), entry_(entry), to_(to) {
  }

  void run() {
    for (Id variable : interface()) {
      const auto storage = analyses_.get<Types>().storageOf(variable);
      if (storage == spv::StorageClass::Input) readVariable(variable, true);
      if (storage == spv::StorageClass::Output) readVariable(variable, false);
    }
    for (Id variable : entry_.variables) readBuiltIns(variable);
    for (auto* list : {&to_.inputs, &to_.outputs}) sortByLocation(*list);
    for (auto* list : {&to_.inputBuiltIns, &to_.outputBuiltIns}) {
      std::sort(list->begin(), list->end());
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
  }

private:
  std::vector<Id> interface() const {
    std::vector<Id> ids;
    const uint32_t nameWords = uint32_t(entry_.name(module_).size() / 4 + 1);
    for (uint32_t word = 3 + nameWords; word < module_.wordCount(entry_.inst); ++word)
      ids.push_back(module_.idAt(entry_.inst, word));
    return ids;
  }

  static void sortByLocation(std::vector<StageVariable>& list) {
    std::stable_sort(list.begin(), list.end(), [](const StageVariable& a, const StageVariable& b) {
      return std::tuple(!a.location, a.location, a.component, a.index) <
             std::tuple(!b.location, b.location, b.component, b.index);
    });
  }

  // ----- inputs and outputs -----

  /// Whether the outermost array is that of the vertices of a primitive (Vulkan 15.1.1), which no
  /// location counts.
  bool isPerVertexArray(Id variable, bool isInput) const {
    const Decorations& decorations = analyses_.get<Decorations>();
    if (decorations.has(variable, spv::Decoration::Patch)) return false;
    if (isInput && decorations.has(variable, spv::Decoration::PerVertexKHR)) return true;
    switch (entry_.model) {
    case Model::TessellationControl:
      return true;
    case Model::TessellationEvaluation:
    case Model::Geometry:
      return isInput;
    case Model::MeshNV:
    case Model::MeshEXT:
      return !isInput;
    default:
      return false;
    }
  }

  void readVariable(Id variable, bool isInput) {
    const Decorations& decorations = analyses_.get<Decorations>();
    if (decorations.has(variable, spv::Decoration::BuiltIn)) return;
    const Types& types = analyses_.get<Types>();
    const Id type = types.pointee(variable);
    const Id element = isPerVertexArray(variable, isInput) && types.info(type).element
                           ? types.info(type).element
                           : type;
    std::vector<StageVariable>& to = isInput ? to_.inputs : to_.outputs;
    if (types.info(element).kind == Kind::Struct && isBlock(element)) {
      readBlock(variable, type, element, to);
      return;
    }
    StageVariable one;
    one.name = describer_.nameOf(variable);
    one.type = describer_.describe(type);
    one.locations = uint32_t(describer_.locationsOf(element));
    readDecorations(variable, Decoration::kNoMember, one);
    to.push_back(std::move(one));
  }

  /// Blocks and structs whose members say for themselves where they are.
  bool isBlock(Id structType) const {
    for (const Decoration& decoration : analyses_.get<Decorations>().of(structType))
      if (decoration.decoration == spv::Decoration::Block ||
          decoration.decoration == spv::Decoration::Location ||
          decoration.decoration == spv::Decoration::BuiltIn)
        return true;
    return false;
  }

  /// Members without a location follow the one before them.
  void readBlock(Id variable, Id type, Id block, std::vector<StageVariable>& to) {
    const Decorations& decorations = analyses_.get<Decorations>();
    const Types& types = analyses_.get<Types>();
    std::vector<ArrayExtent> vertices;
    describer_.withoutArrays(type, vertices);
    std::string name = describer_.nameOf(variable);
    if (name.empty()) name = describer_.nameOf(block);
    std::optional<uint32_t> next =
        decorations.operand(module_, variable, spv::Decoration::Location);
    for (uint32_t m = 0; m < types.info(block).count; ++m) {
      if (decorations.hasMember(block, m, spv::Decoration::BuiltIn)) continue;
      const Id member = types.member(block, m);
      const std::string memberName = describer_.memberName(block, m);
      StageVariable one;
      one.name = name.empty() || memberName.empty() ? name + memberName : name + "." + memberName;
      one.type = describer_.describe(member);
      // The array around the block reads better than none: each vertex has the member.
      std::string outer;
      for (const ArrayExtent& extent : vertices)
        outer += extent.length ? fmt::format("[{}]", *extent.length) : "[]";
      one.type.text.insert(std::min(one.type.text.find('['), one.type.text.size()), outer);
      one.type.extents.insert(one.type.extents.begin(), vertices.begin(), vertices.end());
      one.locations = uint32_t(describer_.locationsOf(member));
      readDecorations(variable, Decoration::kNoMember, one);
      one.location = next;
      readDecorations(block, m, one);
      if (one.location) next = *one.location + one.locations;
      to.push_back(std::move(one));
    }
  }

  void readDecorations(Id target, uint32_t member, StageVariable& to) const {
    const Decorations& decorations = analyses_.get<Decorations>();
    auto operand = [&](spv::Decoration d) {
      return decorations.operand(module_, target, d, member);
    };
    if (auto location = operand(spv::Decoration::Location)) to.location = location;
    if (auto component = operand(spv::Decoration::Component)) to.component = *component;
    if (auto index = operand(spv::Decoration::Index)) to.index = index;
    constexpr std::pair<spv::Decoration, const char*> kQualifiers[] = {
        {spv::Decoration::Flat, "flat"},
        {spv::Decoration::NoPerspective, "noperspective"},
        {spv::Decoration::Centroid, "centroid"},
        {spv::Decoration::Sample, "sample"},
        {spv::Decoration::Patch, "patch"},
        {spv::Decoration::PerVertexKHR, "per-vertex"},
        {spv::Decoration::PerPrimitiveEXT, "per-primitive"},
        {spv::Decoration::Invariant, "invariant"},
        {spv::Decoration::RelaxedPrecision, "relaxed-precision"},
    };
    for (const auto& [decoration, name] : kQualifiers)
      if (decorations.hasMember(target, member, decoration) &&
          std::find(to.qualifiers.begin(), to.qualifiers.end(), name) == to.qualifiers.end())
        to.qualifiers.emplace_back(name);
  }

  // ----- built-ins -----

  void readBuiltIns(Id variable) {
    const Types& types = analyses_.get<Types>();
    const auto storage = types.storageOf(variable);
    if (storage != spv::StorageClass::Input && storage != spv::StorageClass::Output) return;
    auto& names = storage == spv::StorageClass::Input ? to_.inputBuiltIns : to_.outputBuiltIns;
    const Decorations& decorations = analyses_.get<Decorations>();
    if (auto builtIn = decorations.operand(module_, variable, spv::Decoration::BuiltIn)) {
      names.push_back(builtInName(*builtIn));
      return;
    }
    std::vector<ArrayExtent> extents;
    const Id block = describer_.withoutArrays(types.pointee(variable), extents);
    if (types.info(block).kind != Kind::Struct) return;
    const std::vector<bool> used =
        usedMembers(variable, uint32_t(extents.size()), types.info(block).count);
    for (uint32_t m = 0; m < used.size(); ++m)
      if (auto builtIn = decorations.operand(module_, block, spv::Decoration::BuiltIn, m);
          builtIn && used[m])
        names.push_back(builtInName(*builtIn));
  }

  /// Which members of a block behind `arrays` indices the entry point's functions name; all where a
  /// use names the whole.
  std::vector<bool> usedMembers(Id variable, uint32_t arrays, uint32_t members) {
    std::vector<bool> used(members, false);
    constexpr uint32_t kFirstIndex = 4; // of an access chain: type, result, base, indices
    for (const Use& use : analyses_.get<DefUse>().uses(variable)) {
      const BlockRef block = module_.blockOf(use.user);
      if (!block || !std::binary_search(entry_.functions.begin(), entry_.functions.end(),
                                        module_.functionOf(block)))
        continue;
      const uint32_t word = kFirstIndex + arrays;
      const bool isChain =
          isAccessChain(module_.opcode(use.user)) && module_.wordCount(use.user) > word;
      const auto index =
          isChain ? analyses_.get<Constants>().value(module_.idAt(use.user, word)) : std::nullopt;
      if (!index || index->bits >= members) return std::vector<bool>(members, true);
      used[index->bits] = true;
    }
    return used;
  }

  Analyses& analyses_;
  const Module& module_;
  TypeDescriber& describer_;
  const EntryPoint& entry_;
  DescribedEntryPoint& to_;
};

} // namespace

void describeStageVariables(Analyses& analyses, TypeDescriber& types, const EntryPoint& entry,
                            DescribedEntryPoint& to) {
  StageVariables(analyses, types, entry, to).run();
}

} // namespace lanewise::driver
