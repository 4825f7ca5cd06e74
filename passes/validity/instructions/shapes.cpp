#include "validity/instructions/shapes.h"

#include "ir/newer_enumerants.h"
#include "text/format_text.h"

#include <algorithm>

namespace lanewise::validity {

Shapes::Shapes(const Module& module, NarrowTypes allowed) : module_(module) {
  index_.assign(module.idBound(), 0);
  shapes_.emplace_back();
  for (InstRef i : module.globals()) {
    // Of the oldest opcodes, types are a row.
    const spv::Op op = module.opcode(i);
    constexpr uint32_t kOldest = 256;
    const bool mayBe =
        uint32_t(op) >= kOldest || (op >= spv::Op::OpTypeVoid && op <= spv::Op::OpTypePipe);
    if (!mayBe || module.facts(i).opClass != OpClass::Type) continue;
    const Id id = module.resultId(i);
    if (!id) continue;
    shapes_.push_back(read(i, allowed));
    index_[id.value] = uint32_t(shapes_.size() - 1);
  }
}

namespace {

Shape plain(Kind kind, uint8_t inside = 0) {
  Shape s;
  s.kind = kind;
  s.count = 1;
  s.inside = inside;
  return s;
}

Shape composite(Kind kind, const Shape& element, uint32_t count) {
  Shape s = element;
  s.kind = kind;
  s.count = count;
  return s;
}

} // namespace

Shape Shapes::read(InstRef i, NarrowTypes allowed) const {
  const std::span<const uint32_t> w = module_.inst(i);
  Shape s;
  switch (uint32_t(module_.opcode(i))) {
  case uint32_t(spv::Op::OpTypeVoid):
    return plain(Kind::Void);
  case uint32_t(spv::Op::OpTypeBool):
    return {Kind::Bool, Scalar::Bool, 1, 1, holds::kBool, false};
  case uint32_t(spv::Op::OpTypeInt): {
    const bool narrow = (w[2] == 8 && !allowed.int8) || (w[2] == 16 && !allowed.int16);
    return {Kind::Int,
            w[3] != 0 ? Scalar::Signed : Scalar::Unsigned,
            uint16_t(std::min<uint32_t>(w[2], UINT16_MAX)),
            1,
            uint8_t(narrow ? holds::kNarrow : 0),
            false};
  }
  case uint32_t(spv::Op::OpTypeFloat): {
    const bool narrow = w[2] == 16 && w.size() == 3 && !allowed.float16;
    return {Kind::Float,
            Scalar::Float,
            uint16_t(std::min<uint32_t>(w[2], UINT16_MAX)),
            1,
            uint8_t(narrow ? holds::kNarrow : 0),
            w.size() > 3};
  }
  case uint32_t(spv::Op::OpTypeVector):
    return composite(Kind::Vector, of(Id(w[2])), w[3]);
  case uint32_t(spv::Op::OpTypeMatrix):
    return composite(Kind::Matrix, of(Id(w[2])), w[3]);
  case uint32_t(newer::Op::OpTypeCooperativeMatrixKHR):
  case uint32_t(newer::Op::OpTypeCooperativeMatrixNV):
    return composite(Kind::CooperativeMatrix, of(Id(w[2])), 1);
  case uint32_t(spv::Op::OpTypeArray):
    return plain(Kind::Array, of(Id(w[2])).inside);
  case uint32_t(spv::Op::OpTypeRuntimeArray):
    return plain(Kind::RuntimeArray, of(Id(w[2])).inside | holds::kRuntimeArray);
  case uint32_t(spv::Op::OpTypeStruct):
    s = plain(Kind::Struct);
    s.count = uint32_t(w.size()) - 2;
    for (uint32_t member : w.subspan(2)) s.inside |= of(Id(member)).inside;
    return s;
  case uint32_t(spv::Op::OpTypePointer):
    return plain(Kind::Pointer, holds::kPointer);
  case uint32_t(newer::Op::OpTypeUntypedPointerKHR):
    return plain(Kind::UntypedPointer, holds::kPointer);
  case uint32_t(spv::Op::OpTypeFunction):
    return plain(Kind::Function);
  case uint32_t(spv::Op::OpTypeImage):
    return plain(Kind::Image, holds::kOpaque);
  case uint32_t(spv::Op::OpTypeSampler):
    return plain(Kind::Sampler, holds::kOpaque);
  case uint32_t(spv::Op::OpTypeSampledImage):
    return plain(Kind::SampledImage, holds::kOpaque);
  case uint32_t(spv::Op::OpTypeAccelerationStructureKHR):
    return plain(Kind::AccelerationStructure, holds::kOpaque);
  case uint32_t(spv::Op::OpTypeRayQueryKHR):
    return plain(Kind::RayQuery, holds::kOpaque);
  default:
    return plain(Kind::Other);
  }
}

namespace {

std::string describeScalar(const Module& module, InstRef i) {
  const uint32_t width = module.word(i, 2);
  if (module.opcode(i) == spv::Op::OpTypeInt) {
    const std::string_view sign = module.word(i, 3) != 0 ? "int" : "uint";
    return width == 32 ? std::string(sign) : formatText("{}{}", sign, width);
  }
  return width == 32                               ? std::string("float")
         : width == 64                             ? std::string("double")
         : width == 16 && module.wordCount(i) == 3 ? std::string("half")
                                                   : formatText("float{}", width);
}

} // namespace

std::string describeType(const Module& module, Id type) {
  const InstRef i = module.def(type);
  if (!i) return "no type";
  switch (module.opcode(i)) {
  case spv::Op::OpTypeVoid:
    return "void";
  case spv::Op::OpTypeBool:
    return "bool";
  case spv::Op::OpTypeInt:
  case spv::Op::OpTypeFloat:
    return describeScalar(module, i);
  case spv::Op::OpTypeVector:
    return formatText("v{}{}", module.word(i, 3), describeType(module, module.idAt(i, 2)));
  case spv::Op::OpTypeMatrix:
    return formatText("mat{}{}", module.word(i, 3), describeType(module, module.idAt(i, 2)));
  default: {
    std::string_view name = module.facts(i).name;
    if (name.starts_with("OpType")) name.remove_prefix(6);
    return formatText("{} %{}", name, type.value);
  }
  }
}

} // namespace lanewise::validity
