// Runs one workgroup: each lane up to a barrier or subgroup operation, then those that are there
// together, in structured order (docs/design/interpreter.md).
#include "verify/interpreter/run/execute.h"
#include "verify/interpreter/run/machine.h"

#include <algorithm>
#include <fmt/format.h>

namespace lanewise::driver::interpreter {
namespace {

std::array<uint64_t, 4> ballotMask(uint32_t from, uint32_t to) { // bits [from, to)
  std::array<uint64_t, 4> words{};
  for (uint32_t n = from; n < to && n < kMaxSubgroupSize; ++n)
    words[n / 32] |= uint64_t(1) << (n % 32);
  return words;
}

} // namespace

WorkgroupRunner::WorkgroupRunner(DispatchState& dispatch)
    : dispatch_(dispatch), program_(*dispatch.program),
      lanes_(program_.workgroupSize[0] * program_.workgroupSize[1] * program_.workgroupSize[2]),
      edges_(program_.edgeCount), happensBefore_(program_, lanes_, dispatch.locations) {
  laneCount_ = uint32_t(lanes_.size());
  granuleShift_ = dispatch.granuleBytes >= 4 ? 2 : dispatch.granuleBytes >= 2 ? 1 : 0;
  objects_.resize(dispatch.objects.size());
  for (size_t n = 1; n < objects_.size(); ++n) {
    const Object& from = dispatch.objects[n];
    Object& to = objects_[n];
    to.data = from.data, to.bytes = from.bytes, to.memoryClass = from.memoryClass;
    to.isReadOnly = from.isReadOnly, to.isShadowed = from.isShadowed, to.name = from.name;
    to.written = from.written, to.dirty = from.dirty, to.image = from.image;
    addShadow(to);
    if (to.tracking == Tracking::Workgroups) to.dispatchHistory = &dispatch.histories[n];
  }
  cells_.reserve(size_t(laneCount_) * program_.cellCount);
  for (uint32_t n = 0; n < laneCount_; ++n) {
    cells_.insert(cells_.end(), program_.initialCells.begin(), program_.initialCells.end());
    marks_.insert(marks_.end(), program_.initialMarks.begin(), program_.initialMarks.end());
  }
  workgroupMemory_.reserve(program_.variables.size());
  for (uint32_t v = 0; v < program_.variables.size(); ++v) {
    const VariableInfo& variable = program_.variables[v];
    uint64_t address = dispatch.descriptors[v].empty() ? 0 : dispatch.descriptors[v][0];
    if (variable.storage == spv::StorageClass::Workgroup) {
      address = addressOf(uint32_t(objects_.size()));
      workgroupMemory_.emplace_back(variable.bytes);
      Object object;
      object.data = workgroupMemory_.back().data();
      object.bytes = variable.bytes;
      object.memoryClass = kWorkgroupClass;
      object.isShadowed = true;
      object.name = variable.name;
      object.marks.resize((variable.bytes >> granuleShift_) + 1);
      addShadow(object);
      objects_.push_back(std::move(object));
    }
    for (uint32_t n = 0; n < laneCount_; ++n)
      cells_[size_t(n) * program_.cellCount + variable.cell] = address;
  }
  subgroups_.resize((laneCount_ + dispatch.subgroupSize - 1) / dispatch.subgroupSize);
  for (uint32_t n = 0; n < laneCount_; ++n) {
    Lane& lane = lanes_[n];
    lane.index = n;
    lane.runner = this;
    lane.cells = cells_.data() + size_t(n) * program_.cellCount;
    lane.marks = marks_.data() + size_t(n) * program_.cellCount;
    lane.subgroup = n / dispatch.subgroupSize;
    lane.subgroupLane = n % dispatch.subgroupSize;
    subgroups_[lane.subgroup].push_back(&lane);
  }
}

void WorkgroupRunner::addShadow(Object& object) {
  if (!object.isShadowed) return;
  const uint64_t granules = object.bytes >> granuleShift_;
  object.tracking = program_.tracking[classIndex(object.memoryClass)];
  object.isCommitted = object.memoryClass != kWorkgroupClass && dispatch_.workgroupCount() > 1 &&
                       object.tracking != Tracking::Workgroups;
  if (object.tracking == Tracking::Barriers || object.isCommitted) object.shadow.resize(granules);
  if (object.tracking == Tracking::Lanes) object.history.resize(granules);
}

void WorkgroupRunner::begin(uint32_t workgroup) {
  workgroup_ = workgroup;
  instructionsBefore_ = instructions_;
  happensBefore_.begin(workgroup);
  gaveUp_ = isLate_ = false;
  uint32_t shared = 0;
  for (uint32_t n = 1; n < objects_.size(); ++n) {
    Object& object = objects_[n];
    object.shadow.beginWorkgroup();
    object.history.clear();
    if (object.memoryClass != kWorkgroupClass) continue;
    // Which variable it is: Workgroup variables stand in the order of the program's.
    while (program_.variables[shared].storage != spv::StorageClass::Workgroup) ++shared;
    bool isZeroed = program_.variables[shared++].isZeroed;
    std::fill_n(object.data, object.bytes, isZeroed ? 0 : 0xCD);
    std::fill(object.marks.begin(), object.marks.end(), isZeroed ? 0 : kNeverWritten);
  }
  for (Lane& lane : lanes_) {
    lane.state = Lane::State::Runnable;
    lane.next = codeAt(program_.start);
    lane.steps = 0;
    lane.sliceEnd = kLoopSlice;
    setBuiltIns(lane);
  }
}

void WorkgroupRunner::setBuiltIns(Lane& lane) {
  using spv::BuiltIn;
  const std::array<uint32_t, 3>&size = program_.workgroupSize, &groups = dispatch_.groups;
  std::array<uint64_t, 3> local{lane.index % size[0], lane.index / size[0] % size[1],
                                lane.index / size[0] / size[1]};
  std::array<uint64_t, 3> group{workgroup_ % groups[0], workgroup_ / groups[0] % groups[1],
                                workgroup_ / groups[0] / groups[1]};
  uint32_t inSubgroup = uint32_t(subgroups_[lane.subgroup].size()), self = lane.subgroupLane;
  for (const BuiltInVariable& v : program_.builtIns) {
    std::array<uint64_t, 4> value{};
    for (uint32_t n = 0; n < 3; ++n) {
      if (v.builtIn == BuiltIn::NumWorkgroups) value[n] = groups[n];
      if (v.builtIn == BuiltIn::WorkgroupSize) value[n] = size[n];
      if (v.builtIn == BuiltIn::WorkgroupId) value[n] = group[n];
      if (v.builtIn == BuiltIn::LocalInvocationId) value[n] = local[n];
      if (v.builtIn == BuiltIn::GlobalInvocationId) value[n] = group[n] * size[n] + local[n];
    }
    if (v.builtIn == BuiltIn::LocalInvocationIndex) value[0] = lane.index;
    if (v.builtIn == BuiltIn::SubgroupSize) value[0] = dispatch_.subgroupSize;
    if (v.builtIn == BuiltIn::NumSubgroups) value[0] = subgroups_.size();
    if (v.builtIn == BuiltIn::SubgroupId) value[0] = lane.subgroup;
    if (v.builtIn == BuiltIn::SubgroupLocalInvocationId) value[0] = self;
    if (v.builtIn == BuiltIn::SubgroupEqMask) value = ballotMask(self, self + 1);
    if (v.builtIn == BuiltIn::SubgroupGeMask) value = ballotMask(self, inSubgroup);
    if (v.builtIn == BuiltIn::SubgroupGtMask) value = ballotMask(self + 1, inSubgroup);
    if (v.builtIn == BuiltIn::SubgroupLeMask) value = ballotMask(0, self + 1);
    if (v.builtIn == BuiltIn::SubgroupLtMask) value = ballotMask(0, self);
    for (uint32_t n = 0; n < v.cells && n < 4; ++n) lane.cells[v.cell + n] = value[n];
  }
}

// ----- running -----

void WorkgroupRunner::run(uint32_t workgroup, std::span<const uint32_t> order) {
  begin(workgroup);
  for (;;) {
    bool isWaiting = false, isYielding = false;
    for (uint32_t n : order) {
      Lane& lane = lanes_[n];
      if (lane.state == Lane::State::Runnable && !gaveUp_ && !isLate_) runLane(lane);
      isYielding |= lane.state == Lane::State::Runnable;
      isWaiting |= lane.state != Lane::State::Done;
    }
    if (gaveUp_ || isLate_ || !isWaiting) break;
    if (isYielding) continue;
    if (!runGroups()) releaseBarrier();
  }
  if (dispatch_.observer) dispatch_.observer->endWorkgroup(workgroup);
}

void WorkgroupRunner::runLane(Lane& lane) {
  const HandlerTable& table = handlers();
  uint64_t count = 0;
  lane.isYielding = false;
  while (lane.state == Lane::State::Runnable && !lane.isYielding) {
    const Instr& inst = *lane.next++;
    table[size_t(inst.op)](lane, inst);
    ++count;
  }
  instructions_ += count;
}

// A lane that spins on what another one is to write must not keep it from running.
void WorkgroupRunner::loopNext(Lane& lane, const Instr& inst) {
  lane.sliceEnd = lane.steps + kLoopSlice;
  const bool isBeyondLane = lane.steps > dispatch_.stepLimit;
  if (isBeyondLane || instructions_ - instructionsBefore_ > dispatch_.instructionLimit) {
    report(FindingKind::EndlessLoop, lane, inst.site,
           isBeyondLane ? fmt::format("more than {} steps", dispatch_.stepLimit)
                        : fmt::format("more than {} instructions in the workgroup",
                                      dispatch_.instructionLimit));
    gaveUp_ = true;
    lane.state = Lane::State::Done;
  }
  if (dispatch_.isLate()) isLate_ = true;
  lane.isYielding = true;
}

// ----- dynamic instances -----

// From the outermost call inwards: for each loop construct its header and iteration, then the
// address of the call or of the operation. Blocks stand in structured order, so the lexicographic
// order of keys is that of execution: whatever is behind cannot come to what is before it.
void WorkgroupRunner::findKey(Lane& lane) const {
  std::vector<uint32_t>& key = lane.key;
  key.clear();
  uint32_t address = uint32_t(lane.waiting - codeAt(0));
  std::array<uint32_t, 256> path;
  size_t depth = 0;
  for (;;) {
    path[depth++] = address;
    const BlockInfo& block = program_.blockAt(address);
    if (block.function == UINT32_MAX || depth == path.size()) break;
    address = uint32_t(lane.cells[program_.functions[block.function].returnAddress]) - 1;
  }
  while (depth > 0) {
    uint32_t at = path[--depth];
    for (uint32_t loop : program_.blockAt(at).loops) {
      key.push_back(program_.loops[loop].header);
      key.push_back(uint32_t(lane.cells[program_.loops[loop].counter]));
    }
    key.push_back(at);
  }
}

uint64_t WorkgroupRunner::instanceOf(Lane& lane, const Instr& inst) const {
  lane.waiting = &inst;
  findKey(lane);
  uint64_t hash = 0xCBF29CE484222325u; // FNV-1a
  for (uint32_t part : lane.key) hash = (hash ^ part) * 0x100000001B3u;
  return hash;
}

void WorkgroupRunner::observeBranch(Lane& lane, const Instr& inst, uint32_t target) {
  BranchEvent event;
  event.workgroup = workgroup_, event.subgroup = lane.subgroup, event.lane = lane.index;
  event.site = inst.site;
  if (dispatch_.observer->asksForInstances()) event.instance = instanceOf(lane, inst);
  event.branch = &inst;
  event.cells = {lane.cells, program_.cellCount};
  event.target = target;
  dispatch_.observer->branch(event);
}

// ----- meeting points -----

// Called when no lane can run: in each subgroup the earliest of the pending operations goes on.
bool WorkgroupRunner::runGroups() {
  bool hasRun = false;
  std::vector<Lane*> together;
  for (std::vector<Lane*>& subgroup : subgroups_) {
    const Lane* first = nullptr;
    for (Lane* lane : subgroup) {
      if (lane->state != Lane::State::AtGroup) continue;
      findKey(*lane);
      if (!first || lane->key < first->key) first = lane;
    }
    if (!first) continue;
    together.clear();
    for (Lane* lane : subgroup)
      if (lane->state == Lane::State::AtGroup && lane->key == first->key) together.push_back(lane);
    const Instr& inst = *first->waiting;
    const GroupInfo& group = program_.groups[inst.aux];
    if (group.barrier >= 0) {
      happensBefore_.meet(together, program_.barriers[size_t(group.barrier)].memory,
                          Level::Subgroup);
      if (dispatch_.observer)
        dispatch_.observer->barrier(workgroup_, inst.site, uint32_t(together.size()),
                                    uint32_t(subgroup.size()));
    } else if (group.multiply >= 0)
      runMultiply(together, program_.multiplies[size_t(group.multiply)], dispatch_.subgroupSize,
                  inst);
    else
      runGroup(together, group, dispatch_.subgroupSize, inst);
    for (Lane* lane : together) lane->state = Lane::State::Runnable;
    hasRun = true;
  }
  return hasRun;
}

// Every lane that is not done waits at a barrier of the workgroup: the earliest one is passed.
void WorkgroupRunner::releaseBarrier() {
  std::vector<Lane*> together;
  const Lane *first = nullptr, *missing = nullptr;
  for (Lane& lane : lanes_) {
    if (lane.state != Lane::State::AtBarrier) continue;
    findKey(lane);
    if (!first || lane.key < first->key) first = &lane;
  }
  for (Lane& lane : lanes_) {
    if (lane.state == Lane::State::AtBarrier && lane.key == first->key)
      together.push_back(&lane);
    else if (!missing)
      missing = &lane;
  }
  const Instr& inst = *first->waiting;
  const BarrierInfo& barrier = program_.barriers[inst.aux];
  if (missing) {
    Finding finding;
    finding.kind = FindingKind::DivergentBarrier;
    finding.at = {workgroup_, together[0]->index, inst.site};
    finding.other = {workgroup_, missing->index, 0};
    finding.detail = fmt::format("{} of {} arrived", together.size(), laneCount_);
    log_.add(std::move(finding));
  }
  happensBefore_.meet(together, barrier.memory, Level::Workgroup);
  for (Lane* lane : together) lane->state = Lane::State::Runnable;
  if (dispatch_.observer)
    dispatch_.observer->barrier(workgroup_, inst.site, uint32_t(together.size()), laneCount_);
}

} // namespace lanewise::driver::interpreter
