#include "analysis/ranges/input_ranges.h"

#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/entry_points.h"
#include "analysis/module/specialization.h"
#include "analysis/module/types.h"
#include "ir/newer_enumerants.h"
#include "lanewise/target_profile.h"

#include <algorithm>
#include <limits>

namespace lanewise {
namespace {

bool runs(const EntryPoint& entry, FunctionRef function) {
  return std::binary_search(entry.functions.begin(), entry.functions.end(), function);
}

/// Invocations of a workgroup, where its size is literal; 0 where it is not.
uint64_t invocationsOf(const EntryPoint& entry) {
  const auto& [x, y, z] = entry.literalSize;
  const uint64_t plane = uint64_t(x) * y;
  return plane != 0 && z > std::numeric_limits<uint32_t>::max() / plane ? 0 : plane * z;
}

/// The greatest value of the built-in under an entry point; nothing where there is no bound.
std::optional<uint64_t> mostOf(const EntryPoint& entry, const BuiltInPart& part) {
  const auto lessThan = [](uint64_t size) {
    return size == 0 ? std::nullopt : std::optional(size - 1);
  };
  const bool hasGroups = hasWorkgroups(entry.model);
  switch (part.builtIn) {
  case spv::BuiltIn::LocalInvocationId:
    return hasGroups && part.component < 3 ? lessThan(entry.literalSize[part.component])
                                           : std::nullopt;
  case spv::BuiltIn::LocalInvocationIndex:
  case spv::BuiltIn::SubgroupId: // a subgroup has an invocation at least
    return hasGroups ? lessThan(invocationsOf(entry)) : std::nullopt;
  case spv::BuiltIn::NumSubgroups:
    return hasGroups && invocationsOf(entry) != 0 ? std::optional(invocationsOf(entry))
                                                  : std::nullopt;
  case spv::BuiltIn::SubgroupLocalInvocationId:
    return uint64_t(kMaxSubgroupSize) - 1;
  case spv::BuiltIn::SubgroupSize:
    return uint64_t(kMaxSubgroupSize);
  default:
    return std::nullopt;
  }
}

/// Of what an invocation that runs sees at least one.
uint64_t leastOf(spv::BuiltIn builtIn) {
  return builtIn == spv::BuiltIn::NumWorkgroups || builtIn == spv::BuiltIn::NumSubgroups ||
                 builtIn == spv::BuiltIn::SubgroupSize
             ? 1
             : 0;
}

} // namespace

std::optional<BuiltInPart> builtInOf(Analyses& analyses, InstRef load, uint32_t component) {
  const Module& module = analyses.module();
  if (module.opcode(load) != spv::Op::OpLoad) return std::nullopt;
  InstRef pointer = module.def(module.idAt(load, 3));
  if (pointer && isAccessChain(module.opcode(pointer)) && module.wordCount(pointer) == 5) {
    const auto index = analyses.get<Constants>().literal(module.idAt(pointer, 4));
    if (!index || *index > 2) return std::nullopt;
    component = uint32_t(*index);
    pointer = module.def(module.idAt(pointer, 3));
  }
  if (!pointer || module.opcode(pointer) != spv::Op::OpVariable ||
      spv::StorageClass(module.word(pointer, 3)) != spv::StorageClass::Input)
    return std::nullopt;
  const auto builtIn = analyses.get<Decorations>().builtIn(module, module.resultId(pointer));
  if (!builtIn) return std::nullopt;
  return BuiltInPart{*builtIn, component};
}

IntegerRange rangeOfLoad(Analyses& analyses, InstRef load, uint32_t component, uint32_t width) {
  const Module& module = analyses.module();
  const IntegerRange anything = IntegerRange::all(width);
  const auto part = builtInOf(analyses, load, component);
  if (!part || width != 32) return anything;
  const FunctionRef function = module.functionOf(module.blockOf(load));
  uint64_t most = 0;
  bool isRun = false;
  for (const EntryPoint& entry : analyses.get<EntryPoints>().all()) {
    if (!runs(entry, function)) continue;
    isRun = true;
    most = std::max(most, mostOf(entry, *part).value_or(anything.most()));
  }
  if (!isRun) return anything;
  return IntegerRange::ofUnsigned(width, leastOf(part->builtIn), most);
}

IntegerRange rangeOfArrayLength(Analyses& analyses, InstRef length, uint32_t width) {
  const Module& module = analyses.module();
  const Types& types = analyses.get<Types>();
  const IntegerRange anything = IntegerRange::all(width);
  if (width != 32) return anything;
  const Id structure = types.pointee(module.idAt(length, 3));
  const auto storage = types.storageOf(module.idAt(length, 3));
  if (storage != spv::StorageClass::StorageBuffer && storage != spv::StorageClass::Uniform)
    return anything;
  if (module.declares(newer::Capability::Shader64BitIndexingEXT)) return anything;
  const uint32_t member = module.word(length, 4);
  const auto stride = types.arrayStride(types.member(structure, member));
  if (!stride || *stride == 0) return anything;
  return IntegerRange::ofUnsigned(width, 0, UINT32_MAX / *stride);
}

bool runsInWorkgroups(Analyses& analyses, FunctionRef function) {
  const auto all = analyses.get<EntryPoints>().all();
  return std::all_of(all.begin(), all.end(), [&](const EntryPoint& entry) {
    return !runs(entry, function) || hasWorkgroups(entry.model);
  });
}

bool isWorkgroupSize(Analyses& analyses, FunctionRef function, uint32_t dimension, Id constant) {
  bool isRun = false;
  for (const EntryPoint& entry : analyses.get<EntryPoints>().all()) {
    if (!runs(entry, function)) continue;
    isRun = true;
    if (!hasWorkgroups(entry.model) || workgroupDimension(analyses, entry, constant) != dimension)
      return false;
  }
  return isRun;
}

} // namespace lanewise
