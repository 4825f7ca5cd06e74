#include "assembly/friendly_names.h"

#include "assembly/number_text.h"
#include "ir/enumerant_names.h"
#include "ir/grammar_names.h"
#include "ir/newer_enumerants.h"
#include "text/format_text.h"

#include <algorithm>

namespace lanewise {
namespace {

constexpr size_t kLongestName = 256; // bytes of an OpName that are taken for a name

std::string sanitized(std::string_view text) {
  if (text.empty()) return "_";
  std::string name(text);
  for (char& c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))) c = '_';
  return name;
}

/// "gl_WorkGroupID": as GLSL and its compilers spell the built-ins that they have.
std::string glslName(std::string_view builtIn) {
  std::string name(builtIn);
  if (const size_t at = name.find("Workgroup"); at != name.npos) name[at + 4] = 'G';
  if (name.ends_with("Id")) name.back() = 'D';
  return "gl_" + name;
}

std::string storageName(uint32_t storage) {
  const uint8_t kind = factsOf(spv::Op::OpTypePointer).operands[1].enumIndex;
  const std::string_view name = enumerantName(kind, storage);
  return name.empty() ? formatText("StorageClass{}", storage) : std::string(name);
}

std::string intName(uint32_t width, bool isSigned) {
  switch (width) {
  case 8:
    return isSigned ? "char" : "uchar";
  case 16:
    return isSigned ? "short" : "ushort";
  case 32:
    return isSigned ? "int" : "uint";
  case 64:
    return isSigned ? "long" : "ulong";
  default:
    return formatText("{}{}", isSigned ? "i" : "u", width);
  }
}

std::string floatName(std::span<const uint32_t> type) {
  namespace Encoding = newer::FPEncoding;
  static constexpr std::pair<uint32_t, const char*> kEncodings[] = {
      {Encoding::BFloat16KHR, "bfloat16"},          {Encoding::Float8E4M3EXT, "fp8e4m3"},
      {Encoding::Float8E5M2EXT, "fp8e5m2"},         {Encoding::Float6E2M3EXT, "fp6e2m3"},
      {Encoding::Float6E3M2EXT, "fp6e3m2"},         {Encoding::Float4E2M1EXT, "fp4e2m1"},
      {Encoding::Float8UnsignedE8M0EXT, "fp8e8m0"}, {Encoding::MXInt8EXT, "mxint8"}};
  if (type.size() > 3)
    for (const auto& [encoding, name] : kEncodings)
      if (encoding == type[3]) return name;
  switch (type[2]) {
  case 16:
    return "half";
  case 32:
    return "float";
  case 64:
    return "double";
  default:
    return formatText("fp{}", type[2]);
  }
}

} // namespace

FriendlyNames::FriendlyNames(const Module& module) : names_(module.idBound()) {
  for (InstRef i : module.insts()) visit(module, i);
}

std::string FriendlyNames::of(uint32_t id) const {
  if (id < names_.size() && !names_[id].empty()) return names_[id];
  return std::to_string(id);
}

void FriendlyNames::name(uint32_t id, const std::string& wanted) {
  if (id >= names_.size() || !names_[id].empty()) return;
  const std::string base = wanted.size() > kLongestName ? std::to_string(id) : sanitized(wanted);
  std::string name = base;
  for (uint32_t n = 0; !used_.insert(name).second; ++n) name = formatText("{}_{}", base, n);
  names_[id] = std::move(name);
}

void FriendlyNames::visit(const Module& module, InstRef i) {
  if (module.isUnknown(i)) return;
  const OpcodeFacts& facts = module.facts(i);
  const spv::Op op = facts.opcode;
  if (op == spv::Op::OpName) return name(module.word(i, 1), std::string(module.stringAt(i, 2)));
  if (op == spv::Op::OpDecorate && spv::Decoration(module.word(i, 2)) == spv::Decoration::BuiltIn)
    return nameBuiltIn(module.word(i, 1), module.word(i, 3));
  const uint32_t id = module.resultId(i).value;
  if (id == 0) return;
  if (facts.opClass == OpClass::Type) return nameType(module, i, id);
  if (facts.opClass == OpClass::Constant) return nameConstant(module, i, id);
  name(id, std::to_string(id));
}

void FriendlyNames::nameBuiltIn(uint32_t id, uint32_t builtIn) {
  const std::string_view builtInName = enumerantName(NamedEnum::BuiltIn, builtIn);
  if (builtIn <= uint32_t(spv::BuiltIn::LocalInvocationIndex) ||
      builtIn == uint32_t(spv::BuiltIn::VertexIndex) ||
      builtIn == uint32_t(spv::BuiltIn::InstanceIndex) ||
      builtIn == uint32_t(spv::BuiltIn::BaseInstance))
    return name(id, glslName(builtInName));
  if (builtIn <= uint32_t(spv::BuiltIn::SubgroupLocalInvocationId))
    return name(id, std::string(builtInName));
  if (builtIn >= uint32_t(spv::BuiltIn::SubgroupEqMask) &&
      builtIn <= uint32_t(spv::BuiltIn::SubgroupLtMask))
    return name(id, std::string(builtInName) + "KHR"); // by their older names
}

void FriendlyNames::nameConstant(const Module& module, InstRef i, uint32_t id) {
  switch (module.opcode(i)) {
  case spv::Op::OpConstantTrue:
    return name(id, "true");
  case spv::Op::OpConstantFalse:
    return name(id, "false");
  case spv::Op::OpConstant:
    break;
  default:
    return name(id, std::to_string(id));
  }
  const Id type = module.resultType(i);
  std::string value;
  if (const InstRef def = module.def(type))
    if (const auto number = numberType(module.inst(def)))
      value = numberText(*number, module.inst(i).subspan(3));
  std::replace(value.begin(), value.end(), '-', 'n');
  name(id, of(type.value) + "_" + value);
}

void FriendlyNames::nameType(const Module& module, InstRef i, uint32_t id) {
  const std::span<const uint32_t> w = module.inst(i);
  // No cases of the switch: the enumeration of the installed headers may not have them.
  if (module.opcode(i) == newer::Op::OpTypeUntypedPointerKHR)
    return name(id, formatText("_ptr_{}", storageName(w[2])));
  if (module.opcode(i) == newer::Op::OpTypeNodePayloadArrayAMDX)
    return name(id, formatText("_payloadarr_{}", of(w[2])));
  switch (module.opcode(i)) {
  case spv::Op::OpTypeVoid:
    return name(id, "void");
  case spv::Op::OpTypeBool:
    return name(id, "bool");
  case spv::Op::OpTypeInt:
    return name(id, intName(w[2], w[3] != 0));
  case spv::Op::OpTypeFloat:
    return name(id, floatName(w));
  case spv::Op::OpTypeVector:
    return name(id, formatText("v{}{}", w[3], of(w[2])));
  case spv::Op::OpTypeMatrix:
    return name(id, formatText("mat{}{}", w[3], of(w[2])));
  case spv::Op::OpTypeArray:
    return name(id, formatText("_arr_{}_{}", of(w[2]), of(w[3])));
  case spv::Op::OpTypeRuntimeArray:
    return name(id, formatText("_runtimearr_{}", of(w[2])));
  case spv::Op::OpTypePointer:
    return name(id, formatText("_ptr_{}_{}", storageName(w[2]), of(w[3])));
  case spv::Op::OpTypePipe: {
    const uint8_t kind = factsOf(spv::Op::OpTypePipe).operands[1].enumIndex;
    return name(id, formatText("Pipe{}", enumerantName(kind, w[2])));
  }
  case spv::Op::OpTypeOpaque:
    return name(id, "Opaque_" + sanitized(module.stringAt(i, 2)));
  case spv::Op::OpTypeStruct:
    return name(id, formatText("_struct_{}", id));
  case spv::Op::OpTypeEvent:
  case spv::Op::OpTypeDeviceEvent:
  case spv::Op::OpTypeReserveId:
  case spv::Op::OpTypeQueue:
  case spv::Op::OpTypePipeStorage:
  case spv::Op::OpTypeNamedBarrier:
    return name(id, std::string(module.facts(i).name.substr(std::string_view("OpType").size())));
  default:
    return name(id, std::to_string(id));
  }
}

} // namespace lanewise
