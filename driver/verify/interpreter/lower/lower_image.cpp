// Lowers images and samplers. A value of such a type is the address of what is bound; a pointer to
// one holds that address as well, since descriptors do not change.
#include "verify/interpreter/lower/lowering.h"

#include <algorithm>
#include <fmt/format.h>

namespace lanewise::driver::interpreter {
namespace {

using Kind = TypeInfo::Kind;
using S = spv::Op;
using spv::StorageClass;

std::optional<ImageOperation> operationOf(S op) {
  switch (op) {
  case S::OpImageRead:
  case S::OpImageFetch:
    return ImageOperation::Read;
  case S::OpImageWrite:
    return ImageOperation::Write;
  case S::OpImageSampleExplicitLod:
  case S::OpImageSampleProjExplicitLod:
    return ImageOperation::Sample;
  case S::OpImageGather:
    return ImageOperation::Gather;
  default:
    return std::nullopt;
  }
}

// Words of OpTypeImage: result, sampled type, Dim, Depth, Arrayed, MS, Sampled, Image Format.
constexpr uint32_t kComponentWord = 2, kDimWord = 3, kArrayedWord = 5, kSamplesWord = 6,
                   kSampledWord = 7;

} // namespace

// ----- variables -----

Id ModuleLowering::imageTypeOf(Id type) const {
  return module_->opcodeOf(type) == S::OpTypeSampledImage ? module_->idAt(module_->def(type), 2)
                                                          : type;
}

// What the interpreter does not know about the type; empty where it knows all.
std::string ModuleLowering::whyNotImage(Id imageType) const {
  if (module_->opcodeOf(imageType) != S::OpTypeImage) return nameOf(module_->def(imageType));
  InstRef i = module_->def(imageType);
  if (module_->word(i, kSamplesWord) != 0) return "multisampled images";
  if (!imageDimensionOf(module_->word(i, kDimWord)))
    return fmt::format("images of Dim {}", module_->word(i, kDimWord));
  const TypeInfo& component = info(module_->idAt(i, kComponentWord));
  bool isNumber = component.kind == Kind::Int || component.kind == Kind::Float;
  if (!isNumber || component.width < 32)
    return fmt::format("images of {}-bit components", component.width);
  return {};
}

void ModuleLowering::lowerOpaqueVariable(InstRef i, Id pointee) {
  Id type = pointee;
  VariableInfo v = variableOf(i, type, StorageClass::UniformConstant);
  v.isUniform = true;
  if (module_->opcodeOf(type) == S::OpTypeSampler) {
    v.kind = VariableInfo::Kind::Sampler;
  } else {
    Id imageType = imageTypeOf(type);
    if (std::string problem = whyNotImage(imageType); !problem.empty())
      return refuse(std::move(problem));
    InstRef image = module_->def(imageType);
    v.kind = VariableInfo::Kind::Image;
    v.dimension = *imageDimensionOf(module_->word(image, kDimWord));
    v.isArrayed = module_->word(image, kArrayedWord) != 0;
    v.isUniform = module_->word(image, kSampledWord) != 2;
  }
  addVariable(std::move(v), pointee);
}

void ModuleLowering::loadDescriptor(const Pointer& p, uint32_t to, InstRef at) {
  if (info(p.pointee).kind != Kind::None) return refuse("OpLoad of an array of descriptors");
  for (uint32_t n = 0; n < cellsOf(p.pointee); ++n) move(to + n, p.cell, 1, at);
}

// The variable that an image value comes from, null where that is not known.
Id ModuleLowering::imageVariable(Id value) const {
  for (;;) {
    InstRef def = module_->def(value);
    switch (module_->opcode(def)) {
    case S::OpLoad: {
      uint32_t known = pointerOf_[module_->idAt(def, 3).value];
      return known != 0 ? pointers_[known - 1].variable : Id();
    }
    case S::OpImage:
    case S::OpSampledImage:
    case S::OpCopyObject:
      value = module_->idAt(def, 3);
      break;
    default:
      return Id();
    }
  }
}

// ----- instructions -----

bool ModuleLowering::lowerImageOp(InstRef i, S op) {
  switch (op) {
  case S::OpSampledImage: {
    uint32_t to = define(i);
    move(to, cell(module_->idAt(i, 3)), 1, i);
    move(to + 1, cell(module_->idAt(i, 4)), 1, i);
    return true;
  }
  case S::OpImage:
    alias(i, cell(module_->idAt(i, 3)));
    return true;
  case S::OpImageTexelPointer:
    lowerTexelPointer(i);
    return true;
  case S::OpImageQuerySize:
  case S::OpImageQuerySizeLod:
  case S::OpImageQueryLevels:
    lowerImageQuery(i, op);
    return true;
  default:
    if (!operationOf(op)) return false;
    lowerImageAccess(i, op);
    return true;
  }
}

ImageInfo::Vector ModuleLowering::vectorOf(Id value) {
  Id type = typeOf(value);
  const TypeInfo& scalar = info(info(type).kind == Kind::Vector ? info(type).element : type);
  return {cell(value), componentsOf(type), uint8_t(64 - widthOf(type)), scalar.isSigned};
}

void ModuleLowering::emitImage(InstRef i, ImageInfo image, uint32_t to, uint32_t cells,
                               Id variable) {
  image.outside = uint32_t(program_->sites.size());
  program_->sites.push_back({i, variable, true});
  uint32_t index = uint32_t(program_->images.size());
  program_->images.push_back(image);
  Instr& inst = emit(Op::Image, i);
  inst.site = siteOf(i, variable);
  inst.n = cells, inst.d = to, inst.a = image.image, inst.aux = index;
}

void ModuleLowering::lowerTexelPointer(InstRef i) {
  Pointer base = pointer(module_->idAt(i, 3));
  ImageInfo image;
  image.operation = ImageOperation::TexelPointer;
  image.image = base.cell;
  image.coordinate = vectorOf(module_->idAt(i, 4));
  uint32_t to = define(i);
  emitImage(i, image, to, 1, base.variable);
  Pointer p;
  p.cell = to;
  p.pointee = types_->pointee(module_->resultId(i));
  p.storage = StorageClass::Image;
  p.variable = base.variable;
  definePointer(module_->resultId(i), p);
}

void ModuleLowering::lowerImageQuery(InstRef i, S op) {
  Id source = module_->idAt(i, 3);
  ImageInfo image;
  image.operation =
      op == S::OpImageQueryLevels ? ImageOperation::QueryLevels : ImageOperation::QuerySize;
  image.image = cell(source);
  if (op == S::OpImageQuerySizeLod) image.lod = cell(module_->idAt(i, 4));
  emitImage(i, image, define(i), cellsOf(module_->resultType(i)), imageVariable(source));
}

void ModuleLowering::lowerImageAccess(InstRef i, S op) {
  ImageInfo image;
  image.operation = *operationOf(op);
  image.isProjected = op == S::OpImageSampleProjExplicitLod;
  bool isWrite = image.operation == ImageOperation::Write;
  bool isSampled =
      image.operation == ImageOperation::Sample || image.operation == ImageOperation::Gather;
  uint32_t w = isWrite ? 1 : 3;
  Id source = module_->idAt(i, w), coordinate = module_->idAt(i, w + 1);
  image.image = cell(source);
  if (isSampled) image.sampler = image.image + 1;
  if (isSampled && widthOf(typeOf(coordinate)) != 32)
    return refuse(
        fmt::format("{} with {}-bit coordinates", nameOf(i), widthOf(typeOf(coordinate))));
  image.coordinate = vectorOf(coordinate);
  w += 2;
  if (isWrite) image.texel = vectorOf(module_->idAt(i, w++));
  if (image.operation == ImageOperation::Gather) image.component = cell(module_->idAt(i, w++));
  if (!readImageOperands(i, w, image)) return;
  Id imageType = imageTypeOf(typeOf(source));
  bool isCube = spv::Dim(module_->word(module_->def(imageType), kDimWord)) == spv::Dim::Cube;
  if (image.ddx != 0 && isCube) return refuse(nameOf(i) + " of a cube with Grad");
  Id variable = imageVariable(source);
  if (isWrite && variable)
    written_.insert(variable);
  else if (isWrite)
    writesAnywhere_ = true;
  emitImage(i, image, isWrite ? 0 : define(i), isWrite ? 0 : cellsOf(module_->resultType(i)),
            variable);
  noteSharing(siteOf(i, variable), kImageClass, image.sharing, isWrite);
}

// The mask of Image Operands and what goes with it stand from word `w` on (SPIR-V 3.14).
bool ModuleLowering::readImageOperands(InstRef i, uint32_t w, ImageInfo& image) {
  using Mask = spv::ImageOperandsMask;
  uint32_t mask = w < module_->wordCount(i) ? module_->word(i, w++) : 0;
  auto take = [&](Mask bit) {
    bool isThere = mask & uint32_t(bit);
    mask &= ~uint32_t(bit);
    return isThere;
  };
  auto next = [&] { return module_->idAt(i, w++); };
  if (mask & uint32_t(Mask::Bias)) {
    refuse(nameOf(i) + " with the image operand Bias");
    return false;
  }
  if (take(Mask::Lod)) image.lod = cell(next());
  if (take(Mask::Grad)) {
    Id ddx = next();
    image.ddx = cell(ddx);
    image.ddy = cell(next());
    image.gradientCount = componentsOf(typeOf(ddx));
  }
  if (take(Mask::ConstOffset)) image.offset = vectorOf(next());
  if (take(Mask::Offset)) image.offset = vectorOf(next());
  if (take(Mask::ConstOffsets)) {
    Id offsets = next();
    image.offsets = {cell(offsets), cellsOf(typeOf(offsets)),
                     uint8_t(64 - widthOf(typeOf(offsets))), true};
  }
  bool isPublished = false;
  for (Mask scoped : {Mask::MakeTexelAvailable, Mask::MakeTexelVisible})
    if (take(scoped)) isPublished = true, ++w;
  bool isPrivate = !take(Mask::NonPrivateTexel);
  if (program_->isVulkanModel) image.sharing = {isPrivate, isPublished};
  for (Mask plain : {Mask::VolatileTexel, Mask::SignExtend, Mask::ZeroExtend, Mask::Nontemporal})
    take(plain);
  if (mask != 0) refuse(fmt::format("{} with image operands {:#x}", nameOf(i), mask));
  return mask == 0;
}

} // namespace lanewise::driver::interpreter
