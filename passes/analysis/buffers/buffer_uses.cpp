#include "analysis/buffers/buffer_uses.h"

#include "analysis/buffers/buffer_walk.h"
#include "analysis/module/buffer_variables.h"
#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/types.h"
#include "ir/newer_enumerants.h"
#include "text/format_text.h"

#include <algorithm>

namespace lanewise {
namespace {

using Kind = TypeInfo::Kind;

/// Types nested deeper are not looked at.
constexpr uint32_t kMaxNesting = 64;

struct Measured {
  uint32_t size = 0, align = 1;
};

/// Reads the declaration of one buffer variable.
class Declaration {
public:
  Declaration(Analyses& analyses, BufferView& view)
      : module_(analyses.module()), types_(analyses.get<Types>()),
        constants_(analyses.get<Constants>()), decorations_(analyses.get<Decorations>()),
        view_(view) {}

  void read() {
    const auto set = decorations_.operand(module_, view_.variable, spv::Decoration::DescriptorSet);
    const auto binding = decorations_.operand(module_, view_.variable, spv::Decoration::Binding);
    view_.hasBinding = set && binding;
    if (set) view_.binding.set = *set;
    if (binding) view_.binding.binding = *binding;
    Id type = types_.pointee(view_.variable);
    for (; types_.info(type).kind == Kind::Array || types_.info(type).kind == Kind::RuntimeArray;
         ++view_.descriptorDims)
      type = types_.info(type).element;
    view_.block = type;
    chooseName();
    view_.signature = signatureOf(type, 0);
    if (types_.info(type).kind == Kind::Struct) readArray();
  }

private:
  std::string nameOf(Id id) const { return std::string(decorations_.name(module_, id)); }

  void chooseName() {
    view_.name = nameOf(view_.variable);
    if (view_.name.empty()) view_.name = nameOf(view_.block);
    if (view_.name.empty() && view_.hasBinding)
      view_.name = formatText("{}.{}", view_.binding.set, view_.binding.binding);
    if (view_.name.empty()) view_.name = formatText("%{}", view_.variable.value);
  }

  void refuse(std::string_view name, std::string reason) {
    view_.refusals.push_back({name, std::move(reason), module_.def(view_.variable)});
  }

  bool isArrayOfStructs(Id type) const {
    const TypeInfo& info = types_.info(type);
    return (info.kind == Kind::Array || info.kind == Kind::RuntimeArray) &&
           types_.info(info.element).kind == Kind::Struct;
  }

  void readArray() {
    const uint32_t members = types_.info(view_.block).count;
    for (uint32_t m = 0; m < members; ++m)
      if (isArrayOfStructs(types_.member(view_.block, m)))
        view_.arrayMember = m, view_.hasArray = true;
    if (!view_.hasArray) return;
    view_.arrayType = types_.member(view_.block, view_.arrayMember);
    view_.elementType = types_.info(view_.arrayType).element;
    view_.structName = nameOf(view_.elementType);
    view_.length = types_.info(view_.arrayType).kind == Kind::Array
                       ? types_.info(view_.arrayType).length
                       : Id();
    if (view_.length) view_.count = constants_.literal(view_.length);
    const auto offset = types_.offset(view_.block, view_.arrayMember);
    const auto stride = types_.arrayStride(view_.arrayType);
    if (!offset || !stride)
      return refuse("no-explicit-layout", "its array has no Offset or ArrayStride");
    view_.arrayOffset = *offset;
    view_.stride = *stride;
    if (view_.arrayMember + 1 != members || !isLast())
      return refuse("array-not-last", "its array of structs is not the last member");
    if (view_.count == 0) return refuse("empty-array", "its array has no elements");
    if (std::string why = collectLeaves(view_.elementType, 0, {}, {}, 0); !why.empty())
      return refuse("unsupported-member", std::move(why));
    std::stable_sort(
        view_.leaves.begin(), view_.leaves.end(),
        [](const ElementLeaf& a, const ElementLeaf& b) { return a.offset < b.offset; });
    checkLeaves();
  }

  /// Members may be declared in another order than they lie in.
  bool isLast() const {
    for (uint32_t m = 0; m < types_.info(view_.block).count; ++m)
      if (types_.offset(view_.block, m).value_or(UINT32_MAX) > view_.arrayOffset) return false;
    return true;
  }

  void checkLeaves() {
    uint64_t end = 0;
    for (const ElementLeaf& leaf : view_.leaves) {
      if (leaf.offset < end) return refuse("overlapping-members", "members of its struct overlap");
      end = uint64_t(leaf.offset) + leaf.size;
    }
    if (end > view_.stride) return refuse("overlapping-members", "elements of its array overlap");
    if (view_.leaves.empty()) refuse("unsupported-member", "its struct has no members");
  }

  /// Why the struct cannot be taken apart; empty if it was.
  std::string collectLeaves(Id type, uint32_t offset, const std::string& path,
                            const std::vector<uint32_t>& members, uint32_t depth) {
    if (depth == kMaxNesting) return "its struct is nested too deeply";
    for (uint32_t m = 0; m < types_.info(type).count; ++m) {
      const Id memberType = types_.member(type, m);
      std::string name(Decorations::memberName(module_, type, m));
      if (name.empty()) name = formatText("{}", m);
      name = path.empty() ? name : path + "." + name;
      std::vector<uint32_t> below = members;
      below.push_back(m);
      const auto at = types_.offset(type, m);
      if (!at) return formatText("'{}' has no Offset", name);
      if (types_.info(memberType).kind == Kind::Struct) {
        if (std::string why = collectLeaves(memberType, offset + *at, name, below, depth + 1);
            !why.empty())
          return why;
        continue;
      }
      const auto measured = measure(memberType, type, m, 0);
      if (!measured || measured->size == 0)
        return formatText("'{}' has no literal size or explicit layout", name);
      view_.leaves.push_back({name, fieldType(memberType, type, m), below, type, m, memberType,
                              offset + *at, measured->size, measured->align});
    }
    return {};
  }

  /// Size and std430 alignment of what stands as member `m` of `owner`.
  std::optional<Measured> measure(Id type, Id owner, uint32_t m, uint32_t depth) const {
    if (depth == kMaxNesting) return std::nullopt;
    const TypeInfo info = types_.info(type);
    switch (info.kind) {
    case Kind::Int:
    case Kind::Float:
      return Measured{info.width / 8, info.width / 8};
    case Kind::Pointer: // the module has physical addresses and is refused as a whole
      return Measured{8, 8};
    case Kind::Vector: {
      const uint32_t scalar = types_.info(info.element).width / 8;
      return Measured{info.count * scalar, scalar * (info.count == 3 ? 4 : info.count)};
    }
    case Kind::Matrix: {
      const auto stride = types_.matrixStride(owner, m);
      if (!stride) return std::nullopt;
      const TypeInfo column = types_.info(info.element);
      const uint32_t scalar = types_.info(column.element).width / 8;
      const uint32_t rows = types_.isRowMajor(owner, m) ? info.count : column.count;
      const uint32_t vectors = types_.isRowMajor(owner, m) ? column.count : info.count;
      return Measured{vectors * *stride, scalar * (rows == 3 ? 4 : rows)};
    }
    case Kind::Array: {
      const auto stride = types_.arrayStride(type);
      const auto length = constants_.literal(info.length);
      const auto each = measure(info.element, owner, m, depth + 1);
      if (!stride || !length || !each || *length * *stride > kMaxLeafBytes) return std::nullopt;
      return Measured{uint32_t(*length) * *stride, each->align};
    }
    case Kind::Struct: {
      Measured whole;
      for (uint32_t n = 0; n < info.count; ++n) {
        const auto at = types_.offset(type, n);
        const auto each = measure(types_.member(type, n), type, n, depth + 1);
        if (!at || !each || *at > kMaxLeafBytes) return std::nullopt;
        whole.size = std::max(whole.size, *at + each->size);
        whole.align = std::max(whole.align, each->align);
      }
      return whole;
    }
    default:
      return std::nullopt;
    }
  }
  static constexpr uint64_t kMaxLeafBytes = uint64_t(1) << 20;

  std::string scalarType(Id type) const {
    const TypeInfo& info = types_.info(type);
    return formatText("{}{}",
                      info.kind == Kind::Float ? "f"
                      : info.isSigned          ? "i"
                                               : "u",
                      info.width);
  }
  std::string fieldType(Id type, Id owner, uint32_t m) const {
    const TypeInfo& info = types_.info(type);
    if (info.kind == Kind::Int || info.kind == Kind::Float) return scalarType(type);
    if (info.kind == Kind::Vector) return formatText("{}x{}", scalarType(info.element), info.count);
    if (info.kind == Kind::Array) return arrayType(type, info, owner, m);
    if (info.kind != Kind::Matrix || types_.isRowMajor(owner, m)) return {};
    const TypeInfo& column = types_.info(info.element);
    const uint32_t scalar = types_.info(column.element).width / 8;
    if (types_.matrixStride(owner, m) != scalar * column.count) return {}; // padded columns
    return formatText("{}x{}x{}", scalarType(column.element), info.count, column.count);
  }

  /// Of elements that lie side by side: their extents behind that of the array.
  std::string arrayType(Id type, const TypeInfo& info, Id owner, uint32_t m) const {
    const auto length = constants_.literal(info.length);
    const auto each = measure(info.element, owner, m, 1);
    const std::string element = fieldType(info.element, owner, m);
    if (!length || !each || element.empty() || types_.arrayStride(type) != each->size) return {};
    const size_t extents = std::min(element.find('x'), element.size());
    return formatText("{}x{}{}", element.substr(0, extents), *length, element.substr(extents));
  }

  std::string signatureOf(Id type, uint32_t depth) const {
    const TypeInfo info = types_.info(type);
    if (depth == kMaxNesting) return formatText("%{}", type.value);
    switch (info.kind) {
    case Kind::Int:
    case Kind::Float:
      return scalarType(type);
    case Kind::Vector:
    case Kind::Matrix:
      return formatText("{}*{}", signatureOf(info.element, depth + 1), info.count);
    case Kind::Array:
    case Kind::RuntimeArray: {
      const auto length = info.length ? constants_.value(info.length) : std::nullopt;
      return formatText("{}[{}]@{}", signatureOf(info.element, depth + 1),
                        !length             ? std::string()
                        : length->isLiteral ? formatText("{}", length->bits)
                                            : std::string("spec"),
                        types_.arrayStride(type).value_or(0));
    }
    case Kind::Struct: {
      std::string text = "{";
      for (uint32_t m = 0; m < info.count; ++m)
        text += formatText("{}:{}/{}{},", types_.offset(type, m).value_or(UINT32_MAX),
                           signatureOf(types_.member(type, m), depth + 1),
                           types_.matrixStride(type, m).value_or(0),
                           types_.isRowMajor(type, m) ? "r" : "");
      return text + "}";
    }
    default:
      return formatText("%{}", type.value);
    }
  }

  const Module& module_;
  const Types& types_;
  const Constants& constants_;
  const Decorations& decorations_;
  BufferView& view_;
};

/// What a declared capability says of all buffers.
std::optional<BufferRefusal> refusalByCapability(spv::Capability capability) {
  // SPV_EXT_descriptor_heap: OpBufferPointerEXT makes a buffer of any descriptor, be it of a buffer
  // that is bound to a variable as well.
  if (capability == newer::Capability::DescriptorHeapEXT)
    return BufferRefusal{"descriptor-heap", "descriptors of a heap may point into any buffer", {}};
  // SPV_EXT_shader_64bit_indexing: buffers may have more elements than 32 bits can count.
  if (capability == newer::Capability::Shader64BitIndexingEXT)
    return BufferRefusal{"64-bit-indexing", "buffers may be indexed with more than 32 bits", {}};
  return std::nullopt;
}

/// What a global instruction says of all buffers.
std::optional<BufferRefusal> refusalOfAll(const Module& module, InstRef i) {
  const spv::Op op = module.opcode(i);
  if (op == spv::Op::OpCapability) return refusalByCapability(spv::Capability(module.word(i, 1)));
  if (op == newer::Op::OpConditionalCapabilityINTEL)
    return refusalByCapability(spv::Capability(module.word(i, 2)));
  const bool isPhysicalType =
      (op == spv::Op::OpTypePointer || op == newer::Op::OpTypeUntypedPointerKHR) &&
      spv::StorageClass(module.word(i, 2)) == spv::StorageClass::PhysicalStorageBuffer;
  const bool isPhysicalModel =
      op == spv::Op::OpMemoryModel &&
      spv::AddressingModel(module.word(i, 1)) != spv::AddressingModel::Logical;
  if (isPhysicalType || isPhysicalModel)
    return BufferRefusal{"physical-address", "physical addresses may point into any buffer", {}};
  return std::nullopt;
}

} // namespace

BufferUses collectBufferUses(Analyses& analyses) {
  const Module& module = analyses.module();
  BufferUses uses;
  for (InstRef i : module.globals()) {
    if (!uses.refusal) uses.refusal = refusalOfAll(module, i);
    if (module.facts(i).opClass != OpClass::Variable) continue;
    const auto storage = spv::StorageClass(module.word(i, 3));
    if (storage != spv::StorageClass::StorageBuffer && storage != spv::StorageClass::Uniform)
      continue;
    BufferView view;
    view.variable = module.resultId(i);
    view.isUniform = !isStorageBuffer(analyses, view.variable);
    Declaration(analyses, view).read();
    if (module.opcode(i) != spv::Op::OpVariable)
      view.refusals.push_back(
          {"untyped-pointer", "it is declared without a type (untyped pointers)", i});
    if (view.hasArray && !view.isUniform && view.refusals.empty()) walkBuffer(analyses, view);
    uses.views.push_back(std::move(view));
  }
  std::sort(uses.views.begin(), uses.views.end(),
            [](const BufferView& a, const BufferView& b) { return a.variable < b.variable; });
  return uses;
}

} // namespace lanewise
