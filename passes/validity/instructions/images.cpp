// Images (SPIR-V 3.42.10): which operand is an image, what a texel and a coordinate may be.

#include "text/format_text.h"
#include "validity/instructions/operand_rules.h"
#include "validity/instructions/rules.h"

#include <bit>

namespace lanewise::validity {

namespace {

using spv::Dim;
using spv::Op;

constexpr uint16_t kNumbers = kInts | kFloats;

struct ImageType {
  Id sampledType;
  Dim dim;
  uint32_t depth, arrayed, multisampled, sampled;
  /// Coordinates of one layer.
  uint32_t planeSize() const {
    switch (dim) {
    case Dim::Dim1D:
    case Dim::Buffer:
      return 1;
    case Dim::Dim3D:
    case Dim::Cube:
      return 3;
    default:
      return 2;
    }
  }
};

/// What an instruction does with an image, and where its operands stand.
struct ImageUse {
  Op op;
  bool sampledImage; ///< takes an image with its sampler
  bool proj, sparse;
  uint16_t texel;      ///< kinds of the result (or of what is written)
  uint16_t coordinate; ///< kinds of the coordinate, 0 for none
  uint32_t operands;   ///< word of the image operands
};

constexpr uint16_t kTexel = kIntV | kFloatV, kDepth = kIntS | kFloatS, kAnyTexel = kNumbers;

constexpr ImageUse kUses[] = {
    {Op::OpImageSampleImplicitLod, true, false, false, kTexel, kFloats, 5},
    {Op::OpImageSampleExplicitLod, true, false, false, kTexel, kNumbers, 5},
    {Op::OpImageSampleDrefImplicitLod, true, false, false, kDepth, kFloats, 6},
    {Op::OpImageSampleDrefExplicitLod, true, false, false, kDepth, kFloats, 6},
    {Op::OpImageSampleProjImplicitLod, true, true, false, kTexel, kFloats, 5},
    {Op::OpImageSampleProjExplicitLod, true, true, false, kTexel, kFloats, 5},
    {Op::OpImageSampleProjDrefImplicitLod, true, true, false, kDepth, kFloats, 6},
    {Op::OpImageSampleProjDrefExplicitLod, true, true, false, kDepth, kFloats, 6},
    {Op::OpImageFetch, false, false, false, kTexel, kInts, 5},
    {Op::OpImageGather, true, false, false, kTexel, kFloats, 6},
    {Op::OpImageDrefGather, true, false, false, kTexel, kFloats, 6},
    {Op::OpImageRead, false, false, false, kAnyTexel, kNumbers, 5},
    {Op::OpImageSparseSampleImplicitLod, true, false, true, kTexel, kFloats, 5},
    {Op::OpImageSparseSampleExplicitLod, true, false, true, kTexel, kNumbers, 5},
    {Op::OpImageSparseSampleDrefImplicitLod, true, false, true, kDepth, kFloats, 6},
    {Op::OpImageSparseSampleDrefExplicitLod, true, false, true, kDepth, kFloats, 6},
    {Op::OpImageSparseFetch, false, false, true, kTexel, kInts, 5},
    {Op::OpImageSparseGather, true, false, true, kTexel, kFloats, 6},
    {Op::OpImageSparseDrefGather, true, false, true, kTexel, kFloats, 6},
    {Op::OpImageSparseRead, false, false, true, kAnyTexel, kNumbers, 5},
};

const ImageUse* useOf(Op op) {
  for (const ImageUse& use : kUses)
    if (use.op == op) return &use;
  return nullptr;
}

ImageType readImage(const Subject& s, Id imageType) {
  const InstRef d = s.module.def(imageType);
  const auto w = [&](uint32_t n) { return s.module.word(d, n); };
  return {Id(w(2)), Dim(w(3)), w(4), w(5), w(6), w(7)};
}

/// The image type behind an operand that has to be an image, or a sampled one. Nothing where it is
/// open (`ok`) or wrong, which is reported.
std::optional<ImageType> imageOperand(Subject& s, InstRef i, uint32_t word, bool sampledImage,
                                      bool& ok) {
  Id type = s.typeOf(s.module.idAt(i, word));
  const Shape& shape = s.shapeOfType(type);
  ok = true;
  if (shape.isOpen()) return {};
  if (shape.kind != (sampledImage ? Kind::SampledImage : Kind::Image)) {
    ok = s.failOperand(i, word,
                       sampledImage ? "but it must be a sampled image" : "but it must be an image");
    return {};
  }
  if (sampledImage) type = s.module.idAt(s.module.def(type), 2);
  if (s.module.opcodeOf(type) != Op::OpTypeImage) return {};
  return readImage(s, type);
}

/// The type that the texel has: the result type, or its second member where residency is told too.
std::optional<Id> texelType(Subject& s, InstRef i, bool sparse) {
  const Id result = s.module.idAt(i, 1);
  if (!sparse) return result;
  if (s.shapeOfType(result).isOpen()) return Id();
  const InstRef d = s.module.def(result);
  if (s.module.opcode(d) != Op::OpTypeStruct || s.module.wordCount(d) != 4 ||
      !(kindsOf(s.shapeOfType(s.module.idAt(d, 2))) & kIntS)) {
    s.fail(i, "the result type must be a structure of an integer and a texel");
    return {};
  }
  return s.module.idAt(d, 3);
}

bool checkTexel(Subject& s, InstRef i, Id texel, uint16_t takes, const ImageType& image) {
  const Module& m = s.module;
  const Shape& shape = s.shapeOfType(texel);
  if (shape.isOpen()) return true;
  if (!(kindsOf(shape) & takes))
    return s.fail(i, formatText("the texel has type {}; it must be a {}", describeType(m, texel),
                                describeKinds(takes)));
  if (takes == kTexel && shape.count != 4)
    return s.fail(i, formatText("the texel has type {}, not 4 components", describeType(m, texel)));
  const Shape& sampled = s.shapeOfType(image.sampledType);
  const Id component = shape.kind == Kind::Vector ? s.elementOf(texel) : texel;
  if (sampled.isOpen() || sampled.kind == Kind::Void || component == image.sampledType) return true;
  return s.fail(i, formatText("the texel has type {}, but the image is of {}",
                              describeType(m, texel), describeType(m, image.sampledType)));
}

bool checkCoordinate(Subject& s, InstRef i, uint32_t word, uint16_t takes, uint32_t needed) {
  const Shape& shape = s.shapeOfValue(s.module.idAt(i, word));
  if (shape.isOpen()) return true;
  if (!(kindsOf(shape) & takes))
    return s.failOperand(i, word,
                         formatText("but a coordinate must be a {}", describeKinds(takes)));
  return shape.count >= needed ||
         s.failOperand(i, word, formatText("but the image needs {} coordinates", needed));
}

using Mask = spv::ImageOperandsMask;

bool isImplicit(Op op) {
  return op == Op::OpImageSampleImplicitLod || op == Op::OpImageSampleDrefImplicitLod ||
         op == Op::OpImageSampleProjImplicitLod || op == Op::OpImageSampleProjDrefImplicitLod ||
         op == Op::OpImageSparseSampleImplicitLod || op == Op::OpImageSparseSampleDrefImplicitLod;
}
bool isExplicit(Op op) {
  return op == Op::OpImageSampleExplicitLod || op == Op::OpImageSampleDrefExplicitLod ||
         op == Op::OpImageSampleProjExplicitLod || op == Op::OpImageSampleProjDrefExplicitLod ||
         op == Op::OpImageSparseSampleExplicitLod || op == Op::OpImageSparseSampleDrefExplicitLod;
}
bool isFetch(Op op) {
  return op == Op::OpImageFetch || op == Op::OpImageSparseFetch;
}

/// Which image operands go with which instruction (3.14), and the types of the commonest.
bool checkImageOperands(Subject& s, InstRef i, Op op, uint32_t word, const ImageType& image) {
  const Module& m = s.module;
  const uint32_t mask = word < m.wordCount(i) ? m.word(i, word) : 0;
  const auto has = [&](Mask bit) { return (mask & uint32_t(bit)) != 0; };
  const bool loose = s.declared.hasAnyExtension(); // AMD's add places for Bias and Lod
  if (image.multisampled && !has(Mask::Sample) && image.dim != Dim::SubpassData)
    return s.fail(i, "accesses a multisampled image without a sample");
  if (!image.multisampled && has(Mask::Sample))
    return s.fail(i, "names a sample of an image that has none");
  if (isExplicit(op) && !has(Mask::Lod) && !has(Mask::Grad))
    return s.fail(i, "has neither a level of detail nor gradients");
  if (has(Mask::Lod) && has(Mask::Grad))
    return s.fail(i, "has both a level of detail and gradients");
  if (!loose && has(Mask::Bias) && !isImplicit(op))
    return s.fail(i, "has a bias, but no implicit level of detail");
  if (!loose && has(Mask::Lod) && !isExplicit(op) && !isFetch(op))
    return s.fail(i, "has a level of detail, which it does not take");
  if (has(Mask::Grad) && !isExplicit(op)) return s.fail(i, "has gradients, which it does not take");
  const uint32_t offsets = mask & uint32_t(Mask::ConstOffset | Mask::Offset | Mask::ConstOffsets);
  if (std::popcount(offsets) > 1) return s.fail(i, "has more than one kind of offset");
  if (offsets != 0 && image.dim == Dim::Cube) return s.fail(i, "has an offset into a cube");
  uint32_t at = word + 1;
  const auto takes = [&](uint16_t kinds) {
    const bool fits = kindsOf(s.shapeOfValue(m.idAt(i, at))) & kinds;
    return (fits ||
            s.failOperand(
                i, at, formatText("but that image operand must be a {}", describeKinds(kinds)))) &&
           ++at != 0;
  };
  if (has(Mask::Bias) && !takes(kFloatS)) return false;
  if (has(Mask::Lod) && !takes(isExplicit(op) ? uint16_t(kFloatS)
                               : isFetch(op)  ? uint16_t(kIntS)
                                              : kNumbers))
    return false;
  if (has(Mask::Grad) && (!takes(kFloats) || !takes(kFloats))) return false;
  if (has(Mask::ConstOffset) && !s.isConstant(m.idAt(i, at)) && m.def(m.idAt(i, at)))
    return s.fail(i, "has a constant offset that is no constant");
  if (has(Mask::ConstOffset) && !takes(kInts)) return false;
  return !has(Mask::Offset) || takes(kInts);
}

bool checkUse(Subject& s, InstRef i, const ImageUse& use) {
  bool ok;
  const auto image = imageOperand(s, i, 3, use.sampledImage, ok);
  if (!image) return ok;
  const auto texel = texelType(s, i, use.sparse);
  if (!texel) return false;
  if (*texel && !checkTexel(s, i, *texel, use.texel, *image)) return false;
  const uint32_t needed = image->planeSize() +
                          (image->dim == Dim::Cube && !use.sampledImage ? 0 : image->arrayed) +
                          use.proj;
  if (!checkCoordinate(s, i, 4, use.coordinate, needed)) return false;
  if (use.sampledImage && image->multisampled) return s.fail(i, "samples a multisampled image");
  if (isFetch(use.op) && image->sampled == 2) return s.fail(i, "fetches from a storage image");
  if (isFetch(use.op) && image->dim == Dim::Cube) return s.fail(i, "fetches from a cube");
  const bool reads = use.op == Op::OpImageRead || use.op == Op::OpImageSparseRead;
  if (reads && image->sampled == 1) return s.fail(i, "reads a sampled image");
  const bool depth = use.operands == 6;
  const bool gathers = use.op == Op::OpImageGather || use.op == Op::OpImageSparseGather;
  if (depth && !(kindsOf(s.shapeOfValue(s.module.idAt(i, 5))) &
                 (gathers ? uint16_t(kIntS) : uint16_t(kFloatS))))
    return s.failOperand(i, 5,
                         gathers ? "but a component must be an integer scalar"
                                 : "but a depth reference must be a float scalar");
  return checkImageOperands(s, i, use.op, use.operands, *image);
}

bool checkWrite(Subject& s, InstRef i) {
  const Module& m = s.module;
  bool ok;
  const auto image = imageOperand(s, i, 1, false, ok);
  if (!image) return ok;
  if (image->sampled == 1) return s.fail(i, "writes to a sampled image");
  if (image->dim == Dim::SubpassData) return s.fail(i, "writes to an input attachment");
  const uint32_t needed = image->planeSize() + (image->dim == Dim::Cube ? 0 : image->arrayed);
  return checkCoordinate(s, i, 2, kNumbers, needed) &&
         checkTexel(s, i, s.typeOf(m.idAt(i, 3)), kAnyTexel, *image) &&
         checkImageOperands(s, i, Op::OpImageWrite, 4, *image);
}

bool checkSampledImage(Subject& s, InstRef i) {
  const Module& m = s.module;
  const Shape& result = s.resultShape(i);
  if (result.isOpen()) return true;
  if (result.kind != Kind::SampledImage)
    return s.fail(i, "the result type must be a sampled image");
  bool ok;
  const auto image = imageOperand(s, i, 3, false, ok);
  if (!image) return ok;
  const Id declared = m.idAt(m.def(m.idAt(i, 1)), 2);
  if (m.opcodeOf(declared) != Op::OpTypeImage) return true;
  const ImageType wanted = readImage(s, declared);
  if (wanted.sampledType != image->sampledType || wanted.dim != image->dim ||
      wanted.arrayed != image->arrayed || wanted.multisampled != image->multisampled ||
      wanted.sampled != image->sampled)
    return s.failOperand(i, 3, "which is not the image of the result type");
  if (image->sampled == 2) return s.fail(i, "combines a storage image with a sampler");
  const Shape& sampler = s.shapeOfValue(m.idAt(i, 4));
  return sampler.isOpen() || sampler.kind == Kind::Sampler ||
         s.failOperand(i, 4, "but it must be a sampler");
}

bool checkImageOf(Subject& s, InstRef i) {
  const Module& m = s.module;
  bool ok;
  if (!imageOperand(s, i, 3, true, ok)) return ok;
  return m.idAt(m.def(s.typeOf(m.idAt(i, 3))), 2) == m.idAt(i, 1) ||
         s.failOperand(i, 3, "which does not hold an image of the result type");
}

bool checkTexelPointer(Subject& s, InstRef i) {
  const Module& m = s.module;
  const Id result = m.idAt(i, 1), pointer = s.typeOf(m.idAt(i, 3));
  if (s.shapeOfType(result).isOpen() || s.shapeOfType(pointer).isOpen()) return true;
  if (!s.shapeOfType(result).isPointer() || s.storageOf(result) != spv::StorageClass::Image)
    return s.fail(i, "the result type must be a pointer to storage class Image");
  if (s.shapeOfType(pointer).kind != Kind::Pointer)
    return s.failOperand(i, 3, "but it must be a pointer to an image");
  const Id type = s.pointeeOf(pointer);
  if (m.opcodeOf(type) != Op::OpTypeImage)
    return s.shapeOfType(type).isOpen() || s.failOperand(i, 3, "which points to no image");
  const ImageType image = readImage(s, type);
  const Id pointee = s.pointeeOf(result);
  if (pointee && pointee != image.sampledType && s.shapeOfType(pointee).isScalar())
    return s.fail(i, formatText("the result type points to {}, but the image is of {}",
                                describeType(m, pointee), describeType(m, image.sampledType)));
  const uint32_t needed =
      image.dim == Dim::Cube && image.arrayed ? 3 : image.planeSize() + image.arrayed;
  return checkCoordinate(s, i, 4, kInts, needed) &&
         ((kindsOf(s.shapeOfValue(m.idAt(i, 5))) & kIntS) ||
          s.failOperand(i, 5, "but a sample must be an integer scalar"));
}

/// Queries: of an image or, for the level of detail, of a sampled one.
bool checkQuery(Subject& s, InstRef i, Op op) {
  const bool lod = op == Op::OpImageQueryLod;
  bool ok;
  const auto image = imageOperand(s, i, 3, lod, ok);
  if (!image) return ok;
  const Shape& result = s.resultShape(i);
  if (result.isOpen()) return true;
  if (lod) {
    if (result.kind != Kind::Vector || result.scalar != Scalar::Float || result.count != 2)
      return s.fail(i, "the result type must be a vector of 2 floats");
    return checkCoordinate(s, i, 4, kNumbers, image->planeSize());
  }
  if (op == Op::OpImageQuerySamples && (image->dim != Dim::Dim2D || !image->multisampled))
    return s.fail(i, "asks for the samples of an image that has none");
  const bool sizes = op == Op::OpImageQuerySize || op == Op::OpImageQuerySizeLod;
  if (!(kindsOf(result) & (sizes ? kInts : kIntS)))
    return s.fail(i, formatText("the result type is {}; it must be an integer",
                                describeType(s.module, s.module.idAt(i, 1))));
  if (!sizes) return true;
  const uint32_t needed = (image->dim == Dim::Cube ? 2 : image->planeSize()) + image->arrayed;
  if (result.count != needed)
    return s.fail(i, formatText("the result type has {} components, but the size has {}",
                                result.count, needed));
  if (op == Op::OpImageQuerySize) return true;
  if (image->multisampled) return s.fail(i, "asks for a level of a multisampled image");
  return (kindsOf(s.shapeOfValue(s.module.idAt(i, 4))) & kIntS) ||
         s.failOperand(i, 4, "but a level must be an integer scalar");
}

} // namespace

bool checkImage(Subject& s, InstRef i) {
  const Op op = s.module.opcode(i);
  switch (op) {
  case Op::OpSampledImage:
    return checkSampledImage(s, i);
  case Op::OpImageTexelPointer:
    return checkTexelPointer(s, i);
  case Op::OpImageWrite:
    return checkWrite(s, i);
  case Op::OpImage:
    return checkImageOf(s, i);
  case Op::OpImageQuerySize:
  case Op::OpImageQuerySizeLod:
  case Op::OpImageQueryLevels:
  case Op::OpImageQuerySamples:
  case Op::OpImageQueryLod:
    return checkQuery(s, i, op);
  default:
    if (const ImageUse* use = useOf(op)) return checkUse(s, i, *use);
    return true;
  }
}

} // namespace lanewise::validity
