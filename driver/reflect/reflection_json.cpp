#include "reflect/reflection_report.h"
#include "verify/formats/scalars.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lanewise::driver {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json orNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json extentsAsJson(const std::vector<ArrayExtent>& extents) {
  Json list = Json::array();
  for (const ArrayExtent& extent : extents) {
    Json j{{"length", extent.isRuntime ? Json() : orNull(extent.length)}};
    if (extent.stride) j["stride"] = extent.stride;
    if (!extent.specIds.empty()) j["specialization-constants"] = extent.specIds;
    list.push_back(std::move(j));
  }
  return list;
}

/// The type's text, its arrays and the struct in it.
void putType(const DescribedType& type, Json& to) {
  to["type"] = type.text;
  if (!type.extents.empty()) to["array"] = extentsAsJson(type.extents);
  if (!type.structName.empty()) to["struct"] = type.structName;
  if (!type.pointee.empty()) to["points-to"] = type.pointee;
}

void putQualifiers(const MemoryQualifiers& q, Json& to) {
  if (q.isReadOnly) to["readonly"] = true;
  if (q.isWriteOnly) to["writeonly"] = true;
  if (q.isCoherent) to["coherent"] = true;
  if (q.isVolatile) to["volatile"] = true;
  if (q.isRestrict) to["restrict"] = true;
}

void putBlock(const DescribedBlock& block, Json& to) {
  to["bytes"] = orNull(block.bytes);
  if (block.runtimeArray)
    to["runtime-array"] = {{"offset", block.runtimeArray->offset},
                           {"stride", block.runtimeArray->stride}};
}

Json valueOf(const DescribedSpecConstant& constant) {
  using enum DescribedSpecConstant::Kind;
  if (constant.kind == Bool) return constant.defaultBits != 0;
  if (constant.kind == Signed) {
    const uint32_t unused = 64 - constant.width;
    return int64_t(constant.defaultBits << unused) >> unused;
  }
  if (constant.kind == Unsigned) return constant.defaultBits;
  uint8_t bytes[8];
  std::memcpy(bytes, &constant.defaultBits, 8);
  if (constant.width == 32) {
    // The shortest decimal that is this float, not the double nearest to it.
    float single;
    std::memcpy(&single, bytes, 4);
    if (std::isfinite(single)) return Json::parse(fmt::format("{}", single));
  } else if (constant.width == 16 || constant.width == 64) {
    const double value =
        decodeScalar(constant.width == 16 ? ScalarType::F16 : ScalarType::F64, bytes);
    if (std::isfinite(value)) return value;
  }
  return defaultText(constant); // JSON has no infinities
}

Json specConstantAsJson(const DescribedSpecConstant& constant) {
  Json j{{"id", constant.id}};
  if (!constant.name.empty()) j["name"] = constant.name;
  j["type"] = constant.type;
  j["default"] = valueOf(constant);
  return j;
}

Json workgroupSizeAsJson(const DescribedWorkgroupSize& size) {
  Json j{{"size", size.size}, {"declared-by", size.declaredBy}};
  j["specialization-constants"] = size.specIds;
  return j;
}

Json bindingAsJson(const DescribedBinding& binding) {
  Json j{{"set", orNull(binding.set)}, {"binding", orNull(binding.binding)}};
  j["name"] = binding.block.name;
  j["descriptor-type"] = binding.kind.empty() ? Json() : Json("VK_DESCRIPTOR_TYPE_" + binding.kind);
  // How many descriptors; null for a runtime array, and where it cannot be computed.
  std::optional<uint64_t> count = 1;
  for (const ArrayExtent& extent : binding.array)
    count = count && extent.length ? std::optional(*count * *extent.length) : std::nullopt;
  j["descriptor-count"] = orNull(count);
  if (!binding.array.empty()) j["descriptor-array"] = extentsAsJson(binding.array);
  putType(binding.block.type, j);
  if (!binding.block.type.structName.empty()) putBlock(binding.block, j);
  if (!binding.format.empty()) j["format"] = binding.format;
  if (binding.inputAttachmentIndex) j["input-attachment-index"] = *binding.inputAttachmentIndex;
  putQualifiers(binding.qualifiers, j);
  return j;
}

template <class T, class AsJson>
Json listOf(const std::vector<T>& items, AsJson&& asJson) {
  Json list = Json::array();
  for (const T& item : items) list.push_back(asJson(item));
  return list;
}

Json pushConstantsAsJson(const DescribedBlock& block) {
  Json j{{"name", block.name}};
  putType(block.type, j);
  j["offset"] = orNull(block.begin);
  putBlock(block, j);
  return j;
}

Json variableAsJson(const StageVariable& variable) {
  Json j{{"location", orNull(variable.location)}};
  if (variable.component) j["component"] = variable.component;
  if (variable.index) j["index"] = *variable.index;
  j["name"] = variable.name;
  putType(variable.type, j);
  j["locations"] = variable.locations;
  j["qualifiers"] = variable.qualifiers;
  return j;
}

Json sharedAsJson(const SharedVariable& shared) {
  Json j{{"name", shared.name}};
  putType(shared.type, j);
  j["bytes"] = orNull(shared.bytes);
  return j;
}

Json entryAsJson(const DescribedEntryPoint& entry) {
  Json j{{"name", entry.name}, {"stage", entry.stage}};
  if (entry.workgroupSize) j["workgroup-size"] = workgroupSizeAsJson(*entry.workgroupSize);
  j["execution-modes"] = entry.executionModes;
  j["bindings"] = listOf(entry.bindings, bindingAsJson);
  j["push-constants"] = entry.pushConstants ? pushConstantsAsJson(*entry.pushConstants) : Json();
  j["inputs"] = listOf(entry.inputs, variableAsJson);
  j["outputs"] = listOf(entry.outputs, variableAsJson);
  j["built-ins"] = {{"inputs", entry.inputBuiltIns}, {"outputs", entry.outputBuiltIns}};
  j["shared-memory"] = {{"bytes", orNull(entry.sharedBytes)},
                        {"variables", listOf(entry.sharedVariables, sharedAsJson)}};
  if (!entry.taskPayload.empty()) j["task-payload"] = listOf(entry.taskPayload, sharedAsJson);
  return j;
}

Json memberAsJson(const DescribedMember& member) {
  Json j{{"name", member.name}};
  putType(member.type, j);
  j["offset"] = orNull(member.offset);
  j["bytes"] = orNull(member.type.bytes);
  if (member.matrixStride) {
    j["matrix-stride"] = member.matrixStride;
    j["row-major"] = member.isRowMajor;
  }
  putQualifiers(member.qualifiers, j);
  return j;
}

Json structAsJson(const DescribedStruct& described) {
  return {{"name", described.name},
          {"bytes", orNull(described.bytes)},
          {"members", listOf(described.members, memberAsJson)}};
}

Json moduleAsJson(const ReflectedInput& input) {
  const ModuleInterface& interface = input.interface;
  Json j{{"input", input.name}};
  j["spirv-version"] = fmt::format("{}.{}", interface.version >> 16, interface.version >> 8 & 0xFF);
  j["capabilities"] = interface.capabilities;
  j["extensions"] = interface.extensions;
  j["instruction-sets"] = interface.instructionSets;
  j["specialization-constants"] = listOf(interface.specConstants, specConstantAsJson);
  j["entry-points"] = listOf(interface.entryPoints, entryAsJson);
  j["unused-bindings"] = listOf(interface.unusedBindings, bindingAsJson);
  j["structs"] = listOf(interface.structs, structAsJson);
  return j;
}

} // namespace

std::string reflectionAsJson(const ReflectReport& report) {
  Json all;
  all["version"] = 1;
  all["modules"] = listOf(report.inputs, moduleAsJson);
  if (!report.failed.empty())
    all["failed"] = listOf(report.failed, [](const UnreflectedInput& input) {
      return Json{{"input", input.name}, {"message", input.message}};
    });
  // Names in a module may be any bytes; JSON is UTF-8.
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace lanewise::driver
