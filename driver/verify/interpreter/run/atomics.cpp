// Atomic instructions.
#include "verify/formats/float_bits.h"
#include "verify/interpreter/run/arithmetic.h"

#include <algorithm>
#include <cmath>

namespace lanewise::driver::interpreter {
namespace {

uint64_t floatAtomic(spv::Op op, uint32_t width, uint64_t old, uint64_t value) {
  if (op == spv::Op::OpAtomicFAddEXT)
    return floatArithmetic(FloatOperation::Add, width, old, value);
  if (isNan(width, old)) return value;
  if (isNan(width, value)) return old;
  bool isLess = decodeFloat(width, value) < decodeFloat(width, old);
  return isLess == (op == spv::Op::OpAtomicFMinEXT) ? value : old;
}

// What the location holds afterwards.
uint64_t apply(const AtomicInfo& info, uint32_t width, uint64_t old, uint64_t value,
               uint64_t comparator) {
  auto with = [&](spv::Op op, uint64_t b) { return evaluateBinary(op, width, old, b).bits; };
  switch (info.opcode) {
  case spv::Op::OpAtomicLoad:
    return old;
  case spv::Op::OpAtomicStore:
  case spv::Op::OpAtomicExchange:
    return value;
  case spv::Op::OpAtomicCompareExchange:
    return old == comparator ? value : old;
  case spv::Op::OpAtomicIIncrement:
    return with(spv::Op::OpIAdd, 1);
  case spv::Op::OpAtomicIDecrement:
    return with(spv::Op::OpISub, 1);
  case spv::Op::OpAtomicIAdd:
    return with(spv::Op::OpIAdd, value);
  case spv::Op::OpAtomicISub:
    return with(spv::Op::OpISub, value);
  case spv::Op::OpAtomicSMin:
  case spv::Op::OpAtomicUMin:
    return smallerOf(info.opcode == spv::Op::OpAtomicSMin, width, old, value);
  case spv::Op::OpAtomicSMax:
  case spv::Op::OpAtomicUMax:
    return largerOf(info.opcode == spv::Op::OpAtomicSMax, width, old, value);
  case spv::Op::OpAtomicAnd:
    return with(spv::Op::OpBitwiseAnd, value);
  case spv::Op::OpAtomicOr:
    return with(spv::Op::OpBitwiseOr, value);
  case spv::Op::OpAtomicXor:
    return with(spv::Op::OpBitwiseXor, value);
  default:
    return floatAtomic(info.opcode, width, old, value);
  }
}

} // namespace

void WorkgroupRunner::atomic(Lane& lane, const Instr& inst) {
  const AtomicInfo& info = program_.atomics[inst.aux];
  uint64_t address = lane.cells[inst.a];
  // "Texel Output Validation": on a texel that is not there it has no effect.
  if (uint32_t mark = lane.marks[inst.a]; info.isImage && program_.sites[mark].isOutside) {
    if (info.opcode != spv::Op::OpAtomicStore) lane.cells[inst.d] = 0, lane.marks[inst.d] = mark;
    return;
  }
  bool isLoad = info.opcode == spv::Op::OpAtomicLoad;
  bool isStore = info.opcode == spv::Op::OpAtomicStore;
  Object* object = find(lane, inst, address, info.bytes);
  if (!object || (object->isReadOnly && !isLoad)) {
    if (object) report(FindingKind::OutOfRange, lane, inst.site, "an atomic on a uniform buffer");
    if (!isStore) lane.cells[inst.d] = 0, lane.marks[inst.d] = 0;
    return;
  }
  uint64_t offset = offsetOf(address);
  uint64_t old = readScalar(object->data + offset, info.bytes);
  uint32_t mark = 0, valueMark = inst.b ? lane.marks[inst.b] : 0;
  uint64_t first = offset >> granuleShift_, last = (offset + info.bytes - 1) >> granuleShift_;
  for (uint64_t g = first; g <= last; ++g) {
    if (!object->marks.empty() && object->marks[g])
      mark = object->marks[g] == kNeverWritten ? inst.site : object->marks[g];
    if (object->written && !object->written[g]) mark = inst.site;
  }
  uint64_t comparator = info.comparator ? lane.cells[info.comparator] : 0;
  uint64_t value = apply(info, widthOf(inst), old, inst.b ? lane.cells[inst.b] : 0, comparator);
  // "Compare Exchange [...] if Value and Comparator are equal": else it only reads.
  bool isExchange = info.opcode == spv::Op::OpAtomicCompareExchange;
  bool writes = !isLoad && (!isExchange || old == comparator);
  happensBefore_.readAtomic(lane, address, info, writes);
  if (object->isShadowed) noteAtomic(lane, *object, offset, info.bytes, inst.site, writes);
  if (!isLoad) {
    markDirty(*object, offset, info.bytes);
    writeScalar(object->data + offset, info.bytes, value);
    bool replaces = isStore || info.opcode == spv::Op::OpAtomicExchange;
    uint32_t stored = valueMark ? valueMark : replaces ? 0 : mark;
    for (uint64_t g = first; g <= last; ++g) {
      if (!object->marks.empty()) object->marks[g] = stored;
      if (object->written) object->written[g] = 1;
    }
    if (object->marks.empty() && stored) reportUndefined(lane, inst.site, stored);
  }
  if (!isStore) {
    lane.cells[inst.d] = old;
    lane.marks[inst.d] = mark;
  }
  if (writes) happensBefore_.writeAtomic(lane, address, info);
  lane.isYielding = dispatch_.yieldsAtAtomics;
  if (isWatched())
    observeAccess(lane, inst, *object, address, info.bytes, info.bytes, !isLoad,
                  instanceOf(lane, inst));
}

} // namespace lanewise::driver::interpreter
