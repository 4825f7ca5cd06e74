#include "compilers/partner_shaders.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <tuple>
#include <utility>

namespace lanewise::driver {

namespace {

constexpr uint32_t kVec4 = 4;

/// A shader in the making: the sections of a module, each id named by what it is.
class PartnerWriter {
public:
  explicit PartnerWriter(std::string stage) : stage_(std::move(stage)) {
    capability("Shader");
    type("float", "OpTypeFloat 32");
    type("uint", "OpTypeInt 32 0");
    type("vec4", "OpTypeVector %float 4");
  }

  void capability(const std::string& name) { capabilities_.insert(name); }
  void extension(const std::string& name) { extensions_.insert(name); }
  void mode(const std::string& text) { modes_ += "OpExecutionMode %main " + text + "\n"; }
  void decorate(const std::string& text) { decorations_ += "OpDecorate " + text + "\n"; }
  void line(const std::string& text) { body_ += text + "\n"; }
  /// Runs the instruction and gives the id of its result.
  std::string value(const std::string& instruction) {
    std::string id = fmt::format("%v{}", ++values_);
    body_ += id + " = " + instruction + "\n";
    return id;
  }
  /// Declares a type, once.
  std::string type(const std::string& name, const std::string& instruction) {
    std::string id = "%" + name;
    if (declared_.insert(id).second) types_ += id + " = " + instruction + "\n";
    return id;
  }
  std::string pointerTo(const std::string& type, const char* storage) {
    return this->type(fmt::format("ptr_{}_{}", storage, type.substr(1)),
                      fmt::format("OpTypePointer {} {}", storage, type));
  }
  std::string constant(uint32_t number) {
    return type(fmt::format("u{}", number), fmt::format("OpConstant %uint {}", number));
  }
  std::string arrayOf(const std::string& type, uint32_t length) {
    const std::string count = constant(length);
    return this->type(fmt::format("arr_{}_{}", type.substr(1), length),
                      fmt::format("OpTypeArray {} {}", type, count));
  }
  std::string variable(const std::string& name, const std::string& type, const char* storage) {
    const std::string pointer = pointerTo(type, storage);
    types_ += fmt::format("%{} = OpVariable {} {}\n", name, pointer, storage);
    interface_ += " %" + name;
    return "%" + name;
  }

  /// The type of what the slot holds.
  std::string typeOf(const InterfaceSlot& slot) { return vectorOf(scalarOf(slot), slot); }

  /// A vec4 as the slot's type.
  std::string fromVec4(const std::string& vec4, const InterfaceSlot& slot) {
    const std::string part = shortened(vec4, asFloat(slot));
    if (isFloat(slot)) return part;
    return value(
        fmt::format("{} {} {}", conversion(AttributeKind::Float, slot.kind), typeOf(slot), part));
  }
  /// What a slot holds as a vec4.
  std::string asVec4(const std::string& held, const InterfaceSlot& slot) {
    const std::string part =
        isFloat(slot) ? held
                      : value(fmt::format("{} {} {}", conversion(slot.kind, AttributeKind::Float),
                                          typeOf(asFloat(slot)), held));
    if (slot.components == kVec4) return part;
    if (slot.components == 1)
      return value(fmt::format("OpCompositeConstruct %vec4 {0} {0} {0} {0}", part));
    return value(
        fmt::format("OpVectorShuffle %vec4 {0} {0} 0 1 {1} 1", part, slot.components == 3 ? 2 : 0));
  }

  void declare(const std::string& variable, const InterfaceSlot& slot) {
    decorate(fmt::format("{} Location {}", variable, slot.location));
    if (slot.component) decorate(fmt::format("{} Component {}", variable, slot.component));
    if (slot.isPatch) decorate(variable + " Patch");
  }

  std::string finish() const {
    std::string text;
    for (const std::string& name : capabilities_) text += "OpCapability " + name + "\n";
    for (const std::string& name : extensions_) text += "OpExtension \"" + name + "\"\n";
    text += "OpMemoryModel Logical GLSL450\n";
    text += fmt::format("OpEntryPoint {} %main \"main\"{}\n", stage_, interface_);
    text += modes_ + decorations_ + "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n" + types_;
    text += "%main = OpFunction %void None %fn\n%entry = OpLabel\n" + body_;
    return text + "OpReturn\nOpFunctionEnd\n";
  }

private:
  std::string scalarOf(const InterfaceSlot& slot) {
    if (slot.bits == 16) {
      capability("StorageInputOutput16");
      extension("SPV_KHR_16bit_storage");
    }
    if (slot.kind == AttributeKind::Float) {
      if (slot.bits != 32) capability(slot.bits == 64 ? "Float64" : "Float16");
      return slot.bits == 32 ? "%float"
                             : type(fmt::format("float{}", slot.bits),
                                    fmt::format("OpTypeFloat {}", slot.bits));
    }
    if (slot.bits != 32) capability(slot.bits == 64 ? "Int64" : "Int16");
    const bool isSigned = slot.kind == AttributeKind::Signed;
    if (slot.bits == 32 && !isSigned) return "%uint";
    return type(fmt::format("{}int{}", isSigned ? "s" : "u", slot.bits),
                fmt::format("OpTypeInt {} {}", slot.bits, isSigned ? 1 : 0));
  }
  std::string vectorOf(const std::string& scalar, const InterfaceSlot& slot) {
    if (slot.components == 1) return scalar;
    if (scalar == "%float" && slot.components == kVec4) return "%vec4";
    return type(fmt::format("{}x{}", scalar.substr(1), slot.components),
                fmt::format("OpTypeVector {} {}", scalar, slot.components));
  }
  /// The first components of a vec4, as many as the slot has.
  std::string shortened(const std::string& vec4, const InterfaceSlot& slot) {
    if (slot.components == kVec4) return vec4;
    if (slot.components == 1)
      return value(fmt::format("OpCompositeExtract {} {} 0", typeOf(slot), vec4));
    std::string indices;
    for (uint32_t i = 0; i < slot.components; ++i) indices += fmt::format(" {}", i);
    return value(fmt::format("OpVectorShuffle {} {} {}{}", typeOf(slot), vec4, vec4, indices));
  }
  static bool isFloat(const InterfaceSlot& slot) {
    return slot.kind == AttributeKind::Float && slot.bits == 32;
  }
  static InterfaceSlot asFloat(InterfaceSlot slot) {
    slot.kind = AttributeKind::Float;
    slot.bits = 32;
    return slot;
  }
  static const char* conversion(AttributeKind from, AttributeKind to) {
    if (from == AttributeKind::Float && to == AttributeKind::Float) return "OpFConvert";
    if (from == AttributeKind::Float)
      return to == AttributeKind::Signed ? "OpConvertFToS" : "OpConvertFToU";
    return from == AttributeKind::Signed ? "OpConvertSToF" : "OpConvertUToF";
  }

  std::string stage_, modes_, decorations_, types_, body_, interface_;
  std::set<std::string> capabilities_, extensions_, declared_;
  uint32_t values_ = 0;
};

std::string load(PartnerWriter& to, const std::string& type, const std::string& pointer) {
  return to.value(fmt::format("OpLoad {} {}", type, pointer));
}

/// The elements of a sum: a vec4 for each slot, zero for none.
std::string sumOf(PartnerWriter& to, const std::vector<std::string>& vec4s) {
  std::string sum = to.type("zero", "OpConstantNull %vec4");
  for (const std::string& one : vec4s) sum = to.value(fmt::format("OpFAdd %vec4 {} {}", sum, one));
  return sum;
}

void storePosition(PartnerWriter& to, const std::string& vec4) {
  const std::string position = to.variable("position", "%vec4", "Output");
  to.decorate(position + " BuiltIn Position");
  to.line(fmt::format("OpStore {} {}", position, vec4));
}

} // namespace

std::string vertexProducer(const std::vector<InterfaceSlot>& slots) {
  PartnerWriter to("Vertex");
  for (size_t i = 0; i <= slots.size(); ++i) {
    const std::string attribute = to.variable(fmt::format("in{}", i), "%vec4", "Input");
    to.decorate(fmt::format("{} Location {}", attribute, i));
    const std::string given = load(to, "%vec4", attribute);
    if (i == slots.size()) {
      storePosition(to, given);
      break;
    }
    InterfaceSlot slot = slots[i];
    slot.isPatch = false; // a patch takes it from its first vertex
    const std::string out = to.variable(fmt::format("out{}", i), to.typeOf(slot), "Output");
    to.declare(out, slot);
    to.line(fmt::format("OpStore {} {}", out, to.fromVec4(given, slot)));
  }
  return to.finish();
}

std::vector<PipelineAttribute> attributesOfProducer(const std::vector<InterfaceSlot>& slots) {
  std::vector<PipelineAttribute> attributes;
  for (uint32_t i = 0; i <= slots.size(); ++i)
    attributes.push_back({i, AttributeKind::Float, 32, 4});
  return attributes;
}

std::string tessellationControlProducer(const std::vector<InterfaceSlot>& slots,
                                        uint32_t controlPoints) {
  PartnerWriter to("TessellationControl");
  to.capability("Tessellation");
  to.mode(fmt::format("OutputVertices {}", controlPoints));
  const std::string id = to.variable("id", "%uint", "Input");
  to.decorate(id + " BuiltIn InvocationId");
  const std::string invocation = load(to, "%uint", id);
  const std::string zero = to.constant(0);
  for (size_t i = 0; i < slots.size(); ++i) {
    InterfaceSlot slot = slots[i];
    const std::string type = to.typeOf(slot);
    // Vulkan has room for 32 control points in every array of inputs.
    const std::string in = to.variable(fmt::format("in{}", i), to.arrayOf(type, 32), "Input");
    const std::string out = to.variable(
        fmt::format("out{}", i), slot.isPatch ? type : to.arrayOf(type, controlPoints), "Output");
    to.declare(out, slot);
    const bool isPatch = std::exchange(slot.isPatch, false);
    to.declare(in, slot);
    const std::string from = to.value(fmt::format(
        "OpAccessChain {} {} {}", to.pointerTo(type, "Input"), in, isPatch ? zero : invocation));
    const std::string to_ =
        isPatch ? out
                : to.value(fmt::format("OpAccessChain {} {} {}", to.pointerTo(type, "Output"), out,
                                       invocation));
    to.line(fmt::format("OpStore {} {}", to_, load(to, type, from)));
  }
  const std::string one = to.type("one", "OpConstant %float 1");
  for (const auto& [name, builtIn, count] :
       {std::tuple("outer", "TessLevelOuter", 4u), std::tuple("inner", "TessLevelInner", 2u)}) {
    const std::string levels = to.variable(name, to.arrayOf("%float", count), "Output");
    to.decorate(fmt::format("{} BuiltIn {}", levels, builtIn));
    to.decorate(levels + " Patch");
    for (uint32_t i = 0; i < count; ++i)
      to.line(fmt::format(
          "OpStore {} {}",
          to.value(fmt::format("OpAccessChain {} {} {}", to.pointerTo("%float", "Output"), levels,
                               to.constant(i))),
          one));
  }
  return to.finish();
}

std::string tessellationEvaluationConsumer(const std::vector<InterfaceSlot>& slots) {
  PartnerWriter to("TessellationEvaluation");
  to.capability("Tessellation");
  for (const char* mode : {"Triangles", "SpacingEqual", "VertexOrderCcw"}) to.mode(mode);
  std::vector<std::string> parts;
  for (size_t i = 0; i < slots.size(); ++i) {
    const std::string type = to.typeOf(slots[i]);
    const std::string in = to.variable(fmt::format("in{}", i),
                                       slots[i].isPatch ? type : to.arrayOf(type, 32), "Input");
    to.declare(in, slots[i]);
    for (uint32_t vertex = 0; vertex < (slots[i].isPatch ? 1u : 3u); ++vertex) {
      const std::string from =
          slots[i].isPatch
              ? in
              : to.value(fmt::format("OpAccessChain {} {} {}", to.pointerTo(type, "Input"), in,
                                     to.constant(vertex)));
      parts.push_back(to.asVec4(load(to, type, from), slots[i]));
    }
  }
  storePosition(to, sumOf(to, parts));
  return to.finish();
}

std::string emptyMeshShader() {
  PartnerWriter to("MeshEXT");
  to.capability("MeshShadingEXT");
  to.extension("SPV_EXT_mesh_shader");
  for (const char* mode :
       {"LocalSize 32 1 1", "OutputVertices 3", "OutputPrimitivesEXT 1", "OutputTrianglesEXT"})
    to.mode(mode);
  to.line(fmt::format("OpSetMeshOutputsEXT {0} {0}", to.constant(0)));
  return to.finish();
}

std::string fragmentConsumer(const std::vector<InterfaceSlot>& slots) {
  PartnerWriter to("Fragment");
  to.mode("OriginUpperLeft");
  std::vector<std::string> parts;
  for (size_t i = 0; i < slots.size(); ++i) {
    const InterfaceSlot& slot = slots[i];
    const std::string type = to.typeOf(slot);
    const std::string in = to.variable(fmt::format("in{}", i), type, "Input");
    to.declare(in, slot);
    // Integers and doubles cannot be interpolated.
    if (slot.isPerPrimitive) {
      to.capability("MeshShadingEXT");
      to.extension("SPV_EXT_mesh_shader");
      to.decorate(in + " PerPrimitiveEXT");
    } else if (slot.kind != AttributeKind::Float || slot.bits == 64) {
      to.decorate(in + " Flat");
    }
    parts.push_back(to.asVec4(load(to, type, in), slot));
  }
  const std::string color = to.variable("color", "%vec4", "Output");
  to.decorate(color + " Location 0");
  to.line(fmt::format("OpStore {} {}", color, sumOf(to, parts)));
  return to.finish();
}

} // namespace lanewise::driver
