// Loads and stores with their shadow: is the address inside, has the place been written, and does
// another lane get in the way (docs/design/interpreter.md has the rules).
#include "verify/interpreter/run/arithmetic.h"

#include <algorithm>
#include <fmt/format.h>

namespace lanewise::driver::interpreter {
namespace {

void pointerIndex(Lane& l, const Instr& i) {
  uint64_t index = i.extra ? uint64_t(signedOf(l.cells[i.b], widthOf(i))) : l.cells[i.b];
  uint32_t a = l.marks[i.a], b = l.marks[i.b];
  bool isInside = i.c == 0 || index < i.c;
  if (!isInside) l.badIndex = index, l.badBound = i.c;
  l.cells[i.d] = l.cells[i.a] + index * i.aux;
  l.marks[i.d] = a ? a : b ? b : isInside ? 0 : i.site;
}

// Function and Private memory. An index beyond its array has marked the pointer.
bool isUsablePlace(Lane& l, const Instr& i) {
  uint32_t mark = l.marks[i.a];
  if (!mark) return true;
  l.runner->reportUndefined(l, i.site, mark);
  return false;
}

void loadCells(Lane& l, const Instr& i) {
  if (!isUsablePlace(l, i)) {
    std::fill_n(l.cells + i.d, i.n, 0);
    std::fill_n(l.marks + i.d, i.n, 0);
    return;
  }
  uint64_t from = l.cells[i.a] + i.aux;
  std::copy_n(l.cells + from, i.n, l.cells + i.d);
  std::copy_n(l.marks + from, i.n, l.marks + i.d);
}

void storeCells(Lane& l, const Instr& i) {
  if (!isUsablePlace(l, i)) return;
  uint64_t to = l.cells[i.a] + i.aux;
  std::copy_n(l.cells + i.b, i.n, l.cells + to);
  std::copy_n(l.marks + i.b, i.n, l.marks + to);
}

bool isChain(spv::Op op) {
  return isAccessChain(op) || isPtrAccessChain(op);
}

} // namespace

void addMemoryHandlers(HandlerTable& t) {
  t[size_t(Op::PointerAdd)] = [](Lane& l, const Instr& i) {
    l.cells[i.d] = l.cells[i.a] + uint64_t(int64_t(int32_t(i.aux)));
    l.marks[i.d] = l.marks[i.a];
  };
  t[size_t(Op::PointerDiff)] = [](Lane& l, const Instr& i) {
    eachTwo(l, i, [stride = int64_t(i.aux), w = widthOf(i)](uint64_t x, uint64_t y) {
      return wrapped(uint64_t(int64_t(x - y) / stride), w);
    });
  };
  t[size_t(Op::PointerIndex)] = pointerIndex;
  t[size_t(Op::LoadCells)] = loadCells;
  t[size_t(Op::StoreCells)] = storeCells;
  t[size_t(Op::Descriptor)] = [](Lane& l, const Instr& i) { l.runner->descriptor(l, i); };
  t[size_t(Op::ArrayLength)] = [](Lane& l, const Instr& i) { l.runner->arrayLength(l, i); };
  t[size_t(Op::LoadMemory)] = [](Lane& l, const Instr& i) { l.runner->load(l, i); };
  t[size_t(Op::StoreMemory)] = [](Lane& l, const Instr& i) { l.runner->store(l, i); };
  t[size_t(Op::Image)] = [](Lane& l, const Instr& i) { l.runner->image(l, i); };
  t[size_t(Op::Atomic)] = [](Lane& l, const Instr& i) { l.runner->atomic(l, i); };
}

// ----- reports -----

void WorkgroupRunner::report(FindingKind kind, const Lane& lane, uint32_t site,
                             std::string detail) {
  Finding finding;
  finding.kind = kind;
  finding.at = {workgroup_, lane.index, site};
  if (log_.count(kind, finding.at, finding.other, 0)) return;
  finding.detail = std::move(detail);
  log_.add(std::move(finding));
}

void WorkgroupRunner::reportUndefined(const Lane& lane, uint32_t site, uint32_t mark) {
  spv::Op origin = program_.opcodeAt(mark);
  Finding finding;
  finding.kind = FindingKind::UndefinedValue;
  const bool isRead = origin != spv::Op::OpExtInst &&
                      has(program_.facts(mark).effects, Effect::ReadsMemory | Effect::Atomic);
  if (origin == spv::Op::OpVariable || isRead) finding.kind = FindingKind::UninitializedRead;
  if (program_.sites[mark].isOutside || isChain(origin)) finding.kind = FindingKind::OutOfRange;
  finding.at = {workgroup_, lane.index, site};
  finding.other = {workgroup_, lane.index, mark};
  if (log_.count(finding.kind, finding.at, finding.other, 0)) return;
  finding.isOfOther = !isChain(origin);
  finding.variable = program_.variableName(finding.accessSite());
  if (isChain(origin))
    finding.detail =
        fmt::format("index {} of an array of {}", int64_t(lane.badIndex), lane.badBound);
  log_.add(std::move(finding));
}

void WorkgroupRunner::reportRange(const Lane& lane, uint32_t site, uint64_t address,
                                  uint64_t bytes) {
  Finding finding;
  finding.kind = FindingKind::OutOfRange;
  finding.at = {workgroup_, lane.index, site};
  finding.offset = finding.furthest = offsetOf(address);
  if (log_.count(finding.kind, finding.at, finding.other, finding.offset)) return;
  finding.bytes = uint32_t(std::min<uint64_t>(bytes, UINT32_MAX));
  const uint32_t object = finding.object = objectOf(address);
  finding.variable = program_.variableName(site);
  if (object == 0)
    finding.detail = "a null or unknown address";
  else if (object < objects_.size())
    finding.detail = fmt::format("of {} bytes", objects_[object].bytes);
  log_.add(std::move(finding));
}

// ----- addresses -----

// The object, or null after a finding.
Object* WorkgroupRunner::find(const Lane& lane, const Instr& inst, uint64_t address,
                              uint64_t bytes) {
  if (uint32_t mark = lane.marks[inst.a]) {
    reportUndefined(lane, inst.site, mark);
    return nullptr;
  }
  uint32_t number = objectOf(address);
  if (number != 0 && number < objects_.size()) {
    Object& object = objects_[number];
    uint64_t offset = offsetOf(address);
    if (offset < object.bytes && bytes <= object.bytes - offset) return &object;
  }
  reportRange(lane, inst.site, address, bytes);
  return nullptr;
}

void WorkgroupRunner::descriptor(Lane& lane, const Instr& inst) {
  const std::vector<uint64_t>& all = dispatch_.descriptors[inst.aux];
  uint64_t index = lane.cells[inst.b];
  uint32_t mark = lane.marks[inst.b];
  bool isInside = index < all.size();
  if (!isInside) lane.badIndex = index, lane.badBound = all.size();
  lane.cells[inst.d] = isInside ? all[index] : 0;
  lane.marks[inst.d] = mark ? mark : isInside ? 0 : inst.site;
}

void WorkgroupRunner::arrayLength(Lane& lane, const Instr& inst) {
  uint64_t address = lane.cells[inst.a] + inst.b;
  uint32_t number = objectOf(address);
  uint64_t bytes = number < objects_.size() ? objects_[number].bytes : 0;
  uint64_t offset = offsetOf(address);
  lane.cells[inst.d] = bytes > offset ? (bytes - offset) / inst.aux : 0;
  lane.marks[inst.d] = lane.marks[inst.a];
}

// ----- plain accesses -----

void WorkgroupRunner::load(Lane& lane, const Instr& inst, const Instr& at, uint32_t part) {
  uint64_t address = lane.cells[inst.a] + uint64_t(int64_t(int32_t(inst.aux)));
  uint32_t bytes = inst.extra, stride = inst.b, shadowShift = granuleShift_;
  Object* object = find(lane, inst, address, uint64_t(inst.n - 1) * stride + bytes);
  if (!object) {
    std::fill_n(lane.cells + inst.d, inst.n, 0);
    std::fill_n(lane.marks + inst.d, inst.n, 0);
    return;
  }
  uint64_t offset = offsetOf(address);
  for (uint32_t n = 0; n < inst.n; ++n, offset += stride) {
    uint64_t value = readScalar(object->data + offset, bytes);
    lane.cells[inst.d + n] = inst.shift ? value != 0 : value;
    uint32_t mark = 0;
    if (!object->marks.empty())
      for (uint64_t g = offset >> shadowShift; g <= (offset + bytes - 1) >> shadowShift; ++g)
        if (uint32_t m = object->marks[g]) mark = m == kNeverWritten ? inst.site : m;
    if (object->written)
      for (uint64_t g = offset >> shadowShift; g <= (offset + bytes - 1) >> shadowShift; ++g)
        if (!object->written[g]) mark = inst.site;
    lane.marks[inst.d + n] = mark;
    if (object->isShadowed) noteRead(lane, *object, offset, bytes, inst.site);
  }
  if (isWatched())
    observeAccess(lane, inst, *object, address, bytes, stride, false, instanceOf(lane, at) + part);
}

void WorkgroupRunner::store(Lane& lane, const Instr& inst, const Instr& at, uint32_t part) {
  uint64_t address = lane.cells[inst.a] + uint64_t(int64_t(int32_t(inst.aux)));
  uint32_t bytes = inst.extra, stride = inst.c;
  Object* object = find(lane, inst, address, uint64_t(inst.n - 1) * stride + bytes);
  if (!object) return;
  if (object->isReadOnly)
    return report(FindingKind::OutOfRange, lane, inst.site,
                  "a store to a uniform buffer or push constants");
  uint64_t offset = offsetOf(address);
  for (uint32_t n = 0; n < inst.n; ++n, offset += stride) {
    uint64_t value = lane.cells[inst.b + n];
    uint32_t mark = lane.marks[inst.b + n];
    noteWrite(lane, *object, offset, bytes, inst.site, value);
    markDirty(*object, offset, bytes);
    writeScalar(object->data + offset, bytes, value);
    uint64_t first = offset >> granuleShift_, last = (offset + bytes - 1) >> granuleShift_;
    if (!object->marks.empty())
      for (uint64_t g = first; g <= last; ++g) object->marks[g] = mark;
    else if (mark)
      reportUndefined(lane, inst.site, mark);
    if (object->written)
      for (uint64_t g = first; g <= last; ++g) object->written[g] = 1;
  }
  if (isWatched())
    observeAccess(lane, inst, *object, address, bytes, stride, true, instanceOf(lane, at) + part);
}

void WorkgroupRunner::observeAccess(Lane& lane, const Instr& inst, const Object& object,
                                    uint64_t address, uint32_t bytes, uint32_t stride, bool isWrite,
                                    uint64_t instance) {
  AccessEvent event;
  event.workgroup = workgroup_;
  event.subgroup = lane.subgroup;
  event.lane = lane.index;
  event.site = inst.site;
  event.instance = instance;
  event.memoryClass = object.memoryClass;
  event.isWrite = isWrite;
  uint32_t pieces = stride == bytes ? 1 : inst.n;
  event.bytes = stride == bytes ? inst.n * bytes : bytes;
  for (uint32_t n = 0; n < pieces; ++n, ++event.instance) {
    event.address = address + uint64_t(n) * stride;
    dispatch_.observer->access(event);
  }
}

} // namespace lanewise::driver::interpreter
