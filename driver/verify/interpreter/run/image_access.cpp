// What instructions on images do to one lane: coordinates to texels, texels with their shadow.
#include "verify/formats/float_bits.h"
#include "verify/interpreter/run/arithmetic.h"
#include "verify/interpreter/run/images.h"

#include <algorithm>

namespace lanewise::driver::interpreter {
namespace {

uint32_t markOf(const Lane& lane, const ImageInfo::Vector& v) {
  for (uint32_t n = 0; n < v.count; ++n)
    if (uint32_t mark = lane.marks[v.cell + n]) return mark;
  return 0;
}

int64_t integerAt(const Lane& lane, const ImageInfo::Vector& v, uint32_t n) {
  uint64_t bits = lane.cells[v.cell + n];
  return v.isSigned ? signedOf(bits, 64u - v.shift) : int64_t(bits);
}

// The directions that an offset has: no layers, no faces.
uint32_t directionsOf(const ImageShape& shape) {
  return shape.dimension == ImageDimension::Cube ? 0
                                                 : coordinateCount(shape) - uint32_t(shape.isArray);
}

uint32_t placeMark(const Lane& lane, const ImageInfo& info) {
  if (uint32_t mark = markOf(lane, info.coordinate)) return mark;
  if (uint32_t mark = markOf(lane, info.offset)) return mark;
  return info.lod ? lane.marks[info.lod] : 0;
}

// Byte offset of the texel that OpImageFetch, OpImageRead and the like name.
std::optional<uint64_t> texelPlace(const Lane& lane, const ImageInfo& info,
                                   const ImageShape& shape) {
  std::array<int64_t, 4> at{};
  for (uint32_t n = 0; n < std::min(info.coordinate.count, 4u); ++n)
    at[n] = integerAt(lane, info.coordinate, n);
  for (uint32_t n = 0; n < std::min(info.offset.count, directionsOf(shape)); ++n)
    at[n] += integerAt(lane, info.offset, n);
  uint32_t level = info.lod ? uint32_t(lane.cells[info.lod]) : 0;
  return texelOffset(shape, at, level);
}

void fillResult(Lane& lane, const Instr& inst, uint32_t mark) {
  std::fill_n(lane.cells + inst.d, inst.n, 0);
  std::fill_n(lane.marks + inst.d, inst.n, mark);
}

void putTexel(Lane& lane, const Instr& inst, const Texel& texel, uint32_t mark) {
  for (uint32_t n = 0; n < std::min(inst.n, 4u); ++n) {
    lane.cells[inst.d + n] = texel[n];
    lane.marks[inst.d + n] = mark;
  }
}

SampleRequest requestOf(const Lane& lane, const ImageInfo& info, const ImageShape& shape) {
  SampleRequest request;
  uint32_t count = std::min(info.coordinate.count, 4u);
  for (uint32_t n = 0; n < count; ++n)
    request.coordinate[n] = floatOf(lane.cells[info.coordinate.cell + n]);
  uint32_t directions = directionsOf(shape);
  if (info.isProjected)
    for (uint32_t n = 0; n < directions; ++n)
      request.coordinate[n] /= request.coordinate[directions];
  if (info.lod) request.lod = floatOf(lane.cells[info.lod]);
  if (info.ddx) {
    std::array<float, 3> ddx{}, ddy{};
    for (uint32_t n = 0; n < std::min(info.gradientCount, 3u); ++n) {
      ddx[n] = floatOf(lane.cells[info.ddx + n]);
      ddy[n] = floatOf(lane.cells[info.ddy + n]);
    }
    request.lod = levelOfDetail(shape, ddx, ddy);
  }
  for (uint32_t n = 0; n < std::min({info.offset.count, directions, 3u}); ++n)
    request.offset[n] = int32_t(integerAt(lane, info.offset, n));
  return request;
}

uint32_t sampleMark(const Lane& lane, const ImageInfo& info) {
  if (uint32_t mark = placeMark(lane, info)) return mark;
  if (uint32_t mark = markOf(lane, info.offsets)) return mark;
  if (uint32_t mark = info.component ? lane.marks[info.component] : 0) return mark;
  uint32_t gradient = markOf(lane, {info.ddx, info.gradientCount});
  return gradient ? gradient : markOf(lane, {info.ddy, info.gradientCount});
}

// With ConstOffsets each component comes from a place of its own, whose texel (i0, j0) it is: the
// last of four.
Texel gather(const Lane& lane, const ImageInfo& info, ImageView view,
             const SamplerSettings& sampler, SampleRequest request, Footprint& footprint) {
  uint32_t component = uint32_t(lane.cells[info.component]) & 3;
  if (info.offsets.count == 0) return gatherImage(view, sampler, request, component, &footprint);
  Texel result{};
  for (uint32_t n = 0; n < 4; ++n) {
    for (uint32_t d = 0; d < 2; ++d)
      request.offset[d] = int32_t(integerAt(lane, info.offsets, 2 * n + d));
    Footprint all;
    result[n] = gatherImage(view, sampler, request, component, &all)[3];
    if (all.count == 4) footprint.add(all.offsets[3]);
  }
  return result;
}

void query(Lane& lane, const Instr& inst, const ImageInfo& info, const ImageShape& shape) {
  if (info.operation == ImageOperation::QueryLevels) {
    lane.cells[inst.d] = shape.levels;
    lane.marks[inst.d] = 0;
    return;
  }
  uint32_t level = info.lod ? uint32_t(lane.cells[info.lod]) : 0;
  uint32_t mark = info.lod ? lane.marks[info.lod] : 0;
  if (level >= shape.levels) return fillResult(lane, inst, mark ? mark : info.outside);
  ImageSize size = querySize(shape, level);
  for (uint32_t n = 0; n < inst.n; ++n) {
    lane.cells[inst.d + n] = n < size.count ? size.components[n] : 0;
    lane.marks[inst.d + n] = mark;
  }
}

} // namespace

// The image at the address in `cell`, or null after a finding.
Object* WorkgroupRunner::findImage(const Lane& lane, const Instr& inst, uint32_t cell) {
  uint64_t address = lane.cells[cell];
  if (uint32_t mark = lane.marks[cell]) {
    reportUndefined(lane, inst.site, mark);
    return nullptr;
  }
  uint32_t number = objectOf(address);
  if (number != 0 && number < objects_.size() && objects_[number].image) return &objects_[number];
  reportRange(lane, inst.site, address, 0);
  return nullptr;
}

void WorkgroupRunner::image(Lane& lane, const Instr& inst) {
  const ImageInfo& info = program_.images[inst.aux];
  Object* object = findImage(lane, inst, info.image);
  if (!object) return fillResult(lane, inst, 0);
  switch (info.operation) {
  case ImageOperation::Read:
    return readImage(lane, inst, *object);
  case ImageOperation::Write:
    return writeImage(lane, inst, *object);
  case ImageOperation::TexelPointer:
    return pointIntoImage(lane, inst, *object);
  case ImageOperation::Sample:
  case ImageOperation::Gather:
    return sampleImage(lane, inst, *object);
  case ImageOperation::QuerySize:
  case ImageOperation::QueryLevels:
    return query(lane, inst, info, *object->image);
  }
}

// The mark of what is read there: nobody may have written it.
uint32_t WorkgroupRunner::noteTexelRead(const Lane& lane, Object& object, uint64_t offset,
                                        uint32_t site) {
  uint32_t bytes = infoOf(object.image->format).bytes, mark = 0;
  if (object.isShadowed) noteRead(lane, object, offset, bytes, site);
  if (object.written)
    for (uint64_t g = offset >> granuleShift_; g <= (offset + bytes - 1) >> granuleShift_; ++g)
      if (!object.written[g]) mark = site;
  return mark;
}

// A texel outside the image is undefined unless the device checks ("Invalid Texel"): the value is
// marked, and a finding only where it takes effect.
void WorkgroupRunner::readImage(Lane& lane, const Instr& inst, Object& object) {
  const ImageInfo& info = program_.images[inst.aux];
  const ImageShape& shape = *object.image;
  if (uint32_t mark = placeMark(lane, info)) {
    reportUndefined(lane, inst.site, mark);
    return fillResult(lane, inst, 0);
  }
  std::optional<uint64_t> offset = texelPlace(lane, info, shape);
  if (!offset) return fillResult(lane, inst, info.outside);
  uint32_t mark = noteTexelRead(lane, object, *offset, inst.site);
  putTexel(lane, inst, decodeTexel(shape.format, object.data + *offset), mark);
  // What the format does not have is known all the same.
  for (uint32_t n = infoOf(shape.format).components(); n < std::min(inst.n, 4u); ++n)
    lane.marks[inst.d + n] = 0;
}

// "Texel Output Coordinate Validation": outside the image a write has no effect.
void WorkgroupRunner::writeImage(Lane& lane, const Instr& inst, Object& object) {
  const ImageInfo& info = program_.images[inst.aux];
  const ImageShape& shape = *object.image;
  if (uint32_t mark = placeMark(lane, info)) return reportUndefined(lane, inst.site, mark);
  std::optional<uint64_t> offset = texelPlace(lane, info, shape);
  if (!offset) return;
  const ImageFormatInfo& format = infoOf(shape.format);
  Texel texel{};
  uint32_t mark = 0;
  for (uint32_t n = 0; n < std::min(info.texel.count, 4u); ++n) {
    texel[n] = lane.cells[info.texel.cell + n];
    if (!mark && n < format.components()) mark = lane.marks[info.texel.cell + n];
  }
  std::array<uint8_t, 16> bytes{};
  bool fits = encodeTexel(shape.format, texel, bytes.data());
  if (mark)
    reportUndefined(lane, inst.site, mark);
  else if (!fits) // "The converted value of any integer that cannot be represented is undefined."
    report(FindingKind::UndefinedValue, lane, inst.site, "an integer that the format cannot hold");
  uint32_t step = std::min(format.bytes, 8u);
  if (object.isShadowed)
    for (uint32_t at = 0; at < format.bytes; at += step)
      noteWrite(lane, object, *offset + at, step, inst.site, readScalar(bytes.data() + at, step));
  markDirty(object, *offset, format.bytes);
  std::copy_n(bytes.data(), format.bytes, object.data + *offset);
  if (object.written)
    for (uint64_t g = *offset >> granuleShift_; g <= (*offset + format.bytes - 1) >> granuleShift_;
         ++g)
      object.written[g] = 1;
  if (isObserved())
    dispatch_.observer->texel({workgroup_, lane.subgroup, lane.index, inst.site, 0, kImageClass,
                               true, lane.cells[info.image] + *offset, format.bytes});
}

void WorkgroupRunner::pointIntoImage(Lane& lane, const Instr& inst, const Object& object) {
  const ImageInfo& info = program_.images[inst.aux];
  uint32_t mark = placeMark(lane, info);
  std::optional<uint64_t> offset = texelPlace(lane, info, *object.image);
  lane.cells[inst.d] = lane.cells[info.image] + offset.value_or(0);
  lane.marks[inst.d] = mark ? mark : offset ? 0 : info.outside;
}

// Wherever the coordinates point, sampling gives something.
void WorkgroupRunner::sampleImage(Lane& lane, const Instr& inst, Object& object) {
  const ImageInfo& info = program_.images[inst.aux];
  const Object* sampler = findImage(lane, inst, info.sampler);
  if (!sampler) return fillResult(lane, inst, 0);
  const ImageShape& shape = *object.image;
  uint32_t mark = sampleMark(lane, info);
  SampleRequest request = requestOf(lane, info, shape);
  ImageView view{&shape, object.data};
  Footprint footprint;
  Texel texel = info.operation == ImageOperation::Gather
                    ? gather(lane, info, view, sampler->image->sampler, request, footprint)
                    : driver::sampleImage(view, sampler->image->sampler, request, &footprint);
  for (uint32_t n = 0; n < footprint.count; ++n) {
    uint32_t unwritten = noteTexelRead(lane, object, footprint.offsets[n], inst.site);
    if (!mark) mark = unwritten;
  }
  putTexel(lane, inst, texel, mark);
}

} // namespace lanewise::driver::interpreter
