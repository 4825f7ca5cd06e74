#include "analysis/module/types.h"

#include "ir/newer_enumerants.h"

#include <algorithm>

namespace lanewise {

namespace {

constexpr SizeAlign kNoSize{0, 0};
constexpr uint64_t kLargest = uint64_t(1)
                              << 56; ///< sizes beyond are not given: sums stay clear of 2^64

uint64_t roundUp(uint64_t n, uint32_t align) {
  return (n + align - 1) / align * align;
}

/// `count` elements one behind the other.
SizeAlign repeat(SizeAlign element, uint64_t count) {
  if (element.align == 0) return kNoSize;
  const uint64_t stride = roundUp(element.size, element.align);
  if (stride != 0 && count > kLargest / stride) return kNoSize;
  return {stride * count, element.align};
}

/// Logical pointers have no size (2.16.1).
SizeAlign pointerSize(spv::StorageClass storage) {
  return storage == spv::StorageClass::PhysicalStorageBuffer ? SizeAlign{8, 8} : kNoSize;
}

/// Rules by number: vectors of 3 that stand close together; that fill four components; that leave
/// the fourth to what follows them; and vectors aligned to their components.
enum : size_t { kClose, kFull, kOpen, kScalar, kVariants };

size_t variantOf(const SharedMemoryRules& rules) {
  if (rules.isScalar) return kScalar;
  if (rules.vec3Stride == 12) return kClose;
  return rules.vec3Bytes == 12 ? kOpen : kFull;
}

} // namespace

Types::Types(Analyses& analyses)
    : module_(&analyses.module()), constants_(&analyses.get<Constants>()),
      decorations_(&analyses.get<Decorations>()) {
  const Module& module = *module_;
  index_.assign(module.idBound(), 0);
  infos_.emplace_back();
  layouts_.push_back({kNoSize, kNoSize, kNoSize, kNoSize});
  // What a type is made of is declared before it, so one pass lays out everything, each type once.
  for (InstRef i : module.globals()) {
    if (module.facts(i).opClass != OpClass::Type) continue;
    const TypeInfo info = read(i);
    if (info.kind == TypeInfo::Kind::None) continue;
    infos_.push_back(info);
    layouts_.emplace_back();
    for (size_t variant = 0; variant < kVariants; ++variant)
      layouts_.back()[variant] = layoutOf(info, i, variant);
    index_[module.resultId(i).value] = uint32_t(infos_.size() - 1);
  }
}

TypeInfo Types::read(InstRef i) const {
  using Kind = TypeInfo::Kind;
  const std::span<const uint32_t> w = module_->inst(i);
  TypeInfo t;
  switch (module_->opcode(i)) {
  case spv::Op::OpTypeBool:
    t.kind = Kind::Bool;
    return t;
  case spv::Op::OpTypeInt:
    t.kind = Kind::Int;
    t.width = w[2];
    t.isSigned = w[3] != 0;
    return t;
  case spv::Op::OpTypeFloat:
    // Behind the width stands an encoding: bfloat16, 8-bit floats. It has a size, but what its bits
    // mean is not what a float of that width means elsewhere.
    t.kind = w.size() > 3 ? Kind::Other : Kind::Float;
    t.width = w[2];
    return t;
  case spv::Op::OpTypeVector:
  case spv::Op::OpTypeMatrix:
    t.kind = module_->opcode(i) == spv::Op::OpTypeVector ? Kind::Vector : Kind::Matrix;
    t.element = Id(w[2]);
    t.count = w[3];
    return t;
  case spv::Op::OpTypeArray:
    t.kind = Kind::Array;
    t.element = Id(w[2]);
    t.length = Id(w[3]);
    return t;
  case spv::Op::OpTypeRuntimeArray:
    t.kind = Kind::RuntimeArray;
    t.element = Id(w[2]);
    return t;
  case spv::Op::OpTypeStruct:
    t.kind = Kind::Struct;
    t.count = uint32_t(w.size()) - 2;
    return t;
  case spv::Op::OpTypePointer:
    t.kind = Kind::Pointer;
    t.storage = spv::StorageClass(w[2]);
    t.element = Id(w[3]);
    return t;
  case spv::Op::OpTypeForwardPointer: // names a type, declares none
  case spv::Op::OpTypeVoid:
  case spv::Op::OpTypeFunction:
  case spv::Op::OpTypeImage:
  case spv::Op::OpTypeSampler:
  case spv::Op::OpTypeSampledImage:
  case spv::Op::OpTypeOpaque:
  case spv::Op::OpTypeEvent:
  case spv::Op::OpTypeDeviceEvent:
  case spv::Op::OpTypeReserveId:
  case spv::Op::OpTypeQueue:
  case spv::Op::OpTypePipe:
    return t;
  default:
    if (!module_->resultId(i)) return t;
    t.kind = Kind::Other;
    if (module_->opcode(i) == newer::Op::OpTypeUntypedPointerKHR) {
      t.kind = Kind::Pointer;
      t.storage = spv::StorageClass(w[2]);
    }
    return t;
  }
}

SizeAlign Types::layoutOf(const TypeInfo& info, InstRef i, size_t variant) const {
  using Kind = TypeInfo::Kind;
  auto bytes = [](uint32_t size) { return SizeAlign{size, size}; };
  switch (info.kind) {
  case Kind::Bool:
    return bytes(4);
  case Kind::Int:
  case Kind::Float:
    return info.width >= 8 && info.width <= 64 ? bytes(info.width / 8) : kNoSize;
  case Kind::Vector: {
    const SizeAlign part = layoutOf(info.element, variant);
    if (part.align == 0 || part.size > 8 || info.count == 0 || info.count > 16) return kNoSize;
    if (variant == kScalar || (info.count == 3 && variant == kClose))
      return {part.size * info.count, part.align};
    if (info.count != 3) return bytes(uint32_t(part.size) * info.count);
    return {part.size * (variant == kOpen ? 3 : 4), uint32_t(part.size) * 4};
  }
  case Kind::Matrix:
    return repeat(layoutOf(info.element, variant), info.count);
  case Kind::Array: {
    const auto length = constants_->value(info.length);
    return length ? repeat(layoutOf(info.element, variant), length->bits) : kNoSize;
  }
  case Kind::Struct: {
    SizeAlign s{0, 1};
    for (uint32_t part : module_->inst(i).subspan(2)) {
      const SizeAlign m = layoutOf(Id(part), variant);
      if (m.align == 0) return kNoSize;
      s.size = roundUp(s.size, m.align) + m.size;
      s.align = std::max(s.align, m.align);
      if (s.size > kLargest) return kNoSize;
    }
    s.size = roundUp(s.size, s.align);
    return s;
  }
  case Kind::Pointer:
    return pointerSize(info.storage);
  case Kind::Other:
    return info.width == 8 || info.width == 16 ? bytes(info.width / 8) : kNoSize;
  case Kind::None:
  case Kind::RuntimeArray:
    break;
  }
  return kNoSize;
}

SizeAlign Types::layoutOf(Id type, size_t variant) const {
  // A pointer may be declared behind what holds it; its size does not need its layout.
  const InstRef def = module_->def(type);
  if (def && module_->opcode(def) == spv::Op::OpTypePointer)
    return pointerSize(spv::StorageClass(module_->word(def, 2)));
  return layouts_[type.value < index_.size() ? index_[type.value] : 0][variant];
}

std::optional<SizeAlign> Types::naturalLayout(Id type, const SharedMemoryRules& rules) const {
  const SizeAlign s = layoutOf(type, variantOf(rules));
  if (s.align == 0) return std::nullopt;
  return s;
}

std::optional<uint64_t> Types::naturalMemberOffset(Id structType, uint32_t n,
                                                   const SharedMemoryRules& rules) const {
  const TypeInfo& t = info(structType);
  if (t.kind != TypeInfo::Kind::Struct || n >= t.count) return std::nullopt;
  uint64_t end = 0;
  for (uint32_t m = 0;; ++m) {
    const auto layout = naturalLayout(member(structType, m), rules);
    if (!layout) return std::nullopt;
    end = roundUp(end, layout->align);
    if (m == n) return end;
    end += layout->size;
    if (end > kLargest) return std::nullopt;
  }
}

std::optional<uint64_t> Types::arrayLength(Id arrayType) const {
  const TypeInfo& t = info(arrayType);
  if (t.kind != TypeInfo::Kind::Array) return std::nullopt;
  const auto length = constants_->value(t.length);
  if (!length) return std::nullopt;
  return length->bits;
}

Id Types::member(Id structType, uint32_t n) const {
  const TypeInfo& t = info(structType);
  if (t.kind != TypeInfo::Kind::Struct || n >= t.count) return Id();
  return module_->idAt(module_->def(structType), 2 + n);
}

Id Types::pointee(Id value) const {
  const TypeInfo& t = info(module_->typeOf(value));
  return t.kind == TypeInfo::Kind::Pointer ? t.element : Id();
}

std::optional<spv::StorageClass> Types::storageOf(Id value) const {
  const TypeInfo& t = info(module_->typeOf(value));
  if (t.kind != TypeInfo::Kind::Pointer) return std::nullopt;
  return t.storage;
}

std::optional<uint32_t> Types::offset(Id structType, uint32_t member) const {
  return decorations_->operand(*module_, structType, spv::Decoration::Offset, member);
}

std::optional<uint32_t> Types::arrayStride(Id type) const {
  return decorations_->operand(*module_, type, spv::Decoration::ArrayStride);
}

std::optional<uint32_t> Types::matrixStride(Id structType, uint32_t member) const {
  return decorations_->operand(*module_, structType, spv::Decoration::MatrixStride, member);
}

bool Types::isRowMajor(Id structType, uint32_t member) const {
  return decorations_->hasMember(structType, member, spv::Decoration::RowMajor);
}

} // namespace lanewise
