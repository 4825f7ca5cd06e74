// Atomic instructions, and the order that they and fences make between lanes and workgroups.
#include "verify/interpreter/arithmetic.h"
#include "verify/interpreter/float_bits.h"

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
uint64_t apply(const AtomicInfo& info, uint32_t shift, uint64_t old, uint64_t value,
               uint64_t comparator) {
  int64_t signedOld = signExtend(old, shift), signedValue = signExtend(value, shift);
  switch (info.opcode) {
  case spv::Op::OpAtomicLoad:
    return old;
  case spv::Op::OpAtomicStore:
  case spv::Op::OpAtomicExchange:
    return value;
  case spv::Op::OpAtomicCompareExchange:
    return old == comparator ? value : old;
  case spv::Op::OpAtomicIIncrement:
    return cut(old + 1, shift);
  case spv::Op::OpAtomicIDecrement:
    return cut(old - 1, shift);
  case spv::Op::OpAtomicIAdd:
    return cut(old + value, shift);
  case spv::Op::OpAtomicISub:
    return cut(old - value, shift);
  case spv::Op::OpAtomicSMin:
    return signedValue < signedOld ? value : old;
  case spv::Op::OpAtomicSMax:
    return signedValue > signedOld ? value : old;
  case spv::Op::OpAtomicUMin:
    return std::min(old, value);
  case spv::Op::OpAtomicUMax:
    return std::max(old, value);
  case spv::Op::OpAtomicAnd:
    return old & value;
  case spv::Op::OpAtomicOr:
    return old | value;
  case spv::Op::OpAtomicXor:
    return old ^ value;
  default:
    return floatAtomic(info.opcode, 64 - shift, old, value);
  }
}

// Keeps the latest tick of each lane.
void learn(std::vector<std::pair<uint32_t, uint32_t>>& known, uint32_t lane, uint32_t tick) {
  for (auto& [from, at] : known)
    if (from == lane) {
      at = std::max(at, tick);
      return;
    }
  known.emplace_back(lane, tick);
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
  if (object->isShadowed) noteAtomic(lane, *object, offset, info.bytes, inst.site, isLoad);
  uint64_t old = readScalar(object->data + offset, info.bytes);
  uint32_t mark = 0, valueMark = inst.b ? lane.marks[inst.b] : 0;
  uint64_t first = offset >> granuleShift_, last = (offset + info.bytes - 1) >> granuleShift_;
  for (uint64_t g = first; g <= last; ++g) {
    if (!object->marks.empty() && object->marks[g])
      mark = object->marks[g] == kNeverWritten ? inst.site : object->marks[g];
    if (object->written && !object->written[g]) mark = inst.site;
  }
  uint64_t comparator = info.comparator ? lane.cells[info.comparator] : 0;
  uint64_t value = apply(info, inst.shift, old, inst.b ? lane.cells[inst.b] : 0, comparator);
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
  synchronize(lane, address, info);
  if (isObserved()) observeAccess(lane, inst, *object, address, info.bytes, info.bytes, !isLoad);
}

// ----- order -----

// OpMemoryBarrier. With acquire semantics it also completes a barrier of the workgroup that had
// none: what the others did before that barrier is then visible to this lane.
void WorkgroupRunner::fence(Lane& lane, const Ordering& ordering) {
  bool isWide = ordering.scope == spv::Scope::Device || ordering.scope == spv::Scope::Workgroup;
  bool isSubgroup = ordering.scope == spv::Scope::Subgroup;
  if (ordering.releases && isWide) {
    lane.fenced |= ordering.classes;
    lane.released = tick_;
    if (ordering.scope == spv::Scope::Device) lane.releasedToDevice = tick_;
    ++tick_;
  }
  if (ordering.releases && (isWide || isSubgroup)) lane.fencedSub |= ordering.classes;
  if (!ordering.acquires) return;
  for (uint32_t c = 0; c < kMemoryClasses; ++c) {
    if (!(ordering.classes >> c & 1)) continue;
    if (isWide) lane.visible[c] = std::max(lane.visible[c], metAt_);
    if (isWide || isSubgroup) lane.visibleSub[c] = std::max(lane.visibleSub[c], lane.subgroupMet);
  }
}

// An atomic that reads learns what was published at its location, whatever its semantics: programs
// that leave the acquire away are many, and no finding that is not one may come of it. An atomic
// that writes publishes what its lane has released by a fence or by the atomic itself.
void WorkgroupRunner::synchronize(Lane& lane, uint64_t address, const AtomicInfo& info) {
  if (info.ordering.releases &&
      (info.ordering.scope == spv::Scope::Device || info.ordering.scope == spv::Scope::Workgroup)) {
    lane.released = tick_;
    if (info.ordering.scope == spv::Scope::Device) lane.releasedToDevice = tick_;
    ++tick_;
  }
  bool mayPublish =
      lane.released != 0 || lane.releasedToDevice != 0 || !lane.acquired.empty() || !known_.empty();
  bool writes = info.opcode != spv::Op::OpAtomicLoad;
  bool reads = info.opcode != spv::Op::OpAtomicStore;
  // Workgroup memory is each workgroup's own, and object numbers are the same in all.
  std::map<uint64_t, Sync>& syncs =
      info.memoryClass == kWorkgroupClass ? ownSyncs_ : dispatch_.syncs;
  if (syncs.empty() && !(writes && mayPublish)) return;
  auto found = syncs.find(address);
  if (reads && found != syncs.end()) acquire(lane, found->second);
  if (writes && mayPublish) publish(lane, found != syncs.end() ? found->second : syncs[address]);
}

void WorkgroupRunner::acquire(Lane& lane, const Sync& sync) {
  if (sync.workgroup == workgroup_)
    for (auto [from, tick] : sync.lanes)
      if (from != lane.index) learn(lane.acquired, from, tick);
  if (!sync.clock) return;
  for (const auto& [tick, clock] : known_)
    if (clock == sync.clock) return;
  known_.emplace_back(++tick_, sync.clock);
}

void WorkgroupRunner::publish(Lane& lane, Sync& sync) {
  if (sync.workgroup != workgroup_) {
    sync.workgroup = workgroup_;
    sync.lanes.clear();
  }
  if (lane.released != 0) learn(sync.lanes, lane.index, lane.released);
  for (auto [from, tick] : lane.acquired) learn(sync.lanes, from, tick);
  if (lane.releasedToDevice == 0 && known_.empty()) return;
  Clock clock = sync.clock ? *sync.clock : Clock(dispatch_.workgroupEnd, 0);
  for (const auto& [tick, other] : known_)
    for (size_t w = 0; w < clock.size(); ++w) clock[w] = std::max(clock[w], (*other)[w]);
  clock[workgroup_] = std::max(clock[workgroup_], lane.releasedToDevice);
  if (!sync.clock || clock != *sync.clock) sync.clock = std::make_shared<const Clock>(clock);
}

} // namespace lanewise::driver::interpreter
