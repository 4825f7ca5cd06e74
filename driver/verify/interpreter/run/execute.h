// Executes one workgroup: lane by lane, each up to where it has to wait for others.
#pragma once

#include "lanewise/target_profile.h"
#include "support/stopwatch.h"
#include "verify/interpreter/code/program.h"
#include "verify/interpreter/run/findings.h"
#include "verify/interpreter/run/happens_before.h"
#include "verify/interpreter/run/memory.h"
#include "verify/interpreter/run/observer.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace lanewise::driver::interpreter {

class WorkgroupRunner;

/// One invocation.
struct Lane {
  enum class State : uint8_t { Runnable, AtBarrier, AtGroup, Done };
  uint64_t* cells = nullptr;
  uint32_t* marks = nullptr;
  const Instr* next = nullptr;
  WorkgroupRunner* runner = nullptr; ///< null where constants are computed
  State state = State::Runnable;
  bool isYielding = false;
  uint32_t index = 0, subgroup = 0, subgroupLane = 0;
  uint64_t steps = 0;                  ///< an upper bound of the instructions in loops so far
  uint64_t sliceEnd = 0;               ///< steps after which others get a turn
  uint64_t badIndex = 0, badBound = 0; ///< of the last index that was beyond its array
  const Instr* waiting = nullptr;      ///< the barrier or subgroup operation
  std::vector<uint32_t> key;           ///< of the dynamic instance that it waits at

  uint32_t tick = 0; ///< counts releases
  /// By class of memory: accesses of the workgroup before this tick are ordered before what comes,
  /// by a barrier.
  std::array<uint32_t, kMemoryClasses> base{};
};

using Handler = void (*)(Lane&, const Instr&);
using HandlerTable = std::array<Handler, size_t(Op::Extended) + 1>;
const HandlerTable& handlers();
// Each fills in its own rows.
void addDataHandlers(HandlerTable& table);
void addIntegerHandlers(HandlerTable& table);
void addFloatHandlers(HandlerTable& table);
void addControlHandlers(HandlerTable& table);
void addMemoryHandlers(HandlerTable& table);
void addCooperativeHandlers(HandlerTable& table);

/// Runs straight-line code without memory over one file of cells, for constants.
void evaluate(const Program& program, std::span<const Instr> code, std::vector<uint64_t>& cells,
              std::vector<uint32_t>& marks);

/// What the workgroups of a dispatch share.
struct DispatchState {
  const Program* program = nullptr;
  std::array<uint32_t, 3> groups{1, 1, 1};
  uint32_t subgroupSize = kDefaultSubgroupSize;
  uint32_t granuleBytes = 4;              ///< of shadow memory: 1, 2 or 4
  uint64_t stepLimit = 0;                 ///< of one lane
  uint64_t instructionLimit = UINT64_MAX; ///< of one workgroup
  bool yieldsAtAtomics = false;           ///< LaneOrder::Alternating
  Observer* observer = nullptr;
  /// Whether it has taken longer than it may.
  bool isLate() const { return timeoutSeconds && running.isBeyond(*timeoutSeconds); }
  std::optional<double> timeoutSeconds; ///< by `running`
  Stopwatch running;
  std::vector<Object> objects;       ///< [0] unused; buffers and push constants
  std::vector<ForeignTable> foreign; ///< by object
  /// By index into Program::variables: addresses of its descriptors.
  std::vector<std::vector<uint64_t>> descriptors;
  // Where workgroups speak to one another, which they do on one thread only.
  AtomicLocations locations;
  std::vector<HistoryTable> histories; ///< by object
  uint64_t mostRuns = 0;               ///< that a history table may hold
  uint32_t workgroupCount() const { return groups[0] * groups[1] * groups[2]; }
};

class WorkgroupRunner {
public:
  explicit WorkgroupRunner(DispatchState& dispatch);

  /// Runs a workgroup; `order` lists its lanes.
  void run(uint32_t workgroup, std::span<const uint32_t> order);
  /// Checks what the workgroup did against the finished ones, and adds it to them. Called in order
  /// of workgroups.
  void commit();
  FindingLog& log() { return log_; }
  uint64_t instructions() const { return instructions_; }
  bool gaveUp() const { return gaveUp_; } ///< after an endless loop
  bool isLate() const { return isLate_; } ///< stopped at the deadline
  /// By Program's edges: not 0 where a lane has taken it.
  const std::vector<uint8_t>& edges() const { return edges_; }

  // For the handlers.
  const Program& program() const { return program_; }
  const Instr* codeAt(uint64_t address) const { return program_.code.data() + address; }
  void load(Lane& lane, const Instr& inst) { load(lane, inst, inst, 0); }
  void store(Lane& lane, const Instr& inst) { store(lane, inst, inst, 0); }
  /// Of a part of what `at`, an instruction of the program, loads or stores.
  void load(Lane& lane, const Instr& inst, const Instr& at, uint32_t part);
  void store(Lane& lane, const Instr& inst, const Instr& at, uint32_t part);
  uint32_t subgroupSize() const { return dispatch_.subgroupSize; }
  void atomic(Lane& lane, const Instr& inst);
  void image(Lane& lane, const Instr& inst);
  void fence(Lane& lane, const Ordering& ordering) { happensBefore_.fence(lane, ordering); }
  void descriptor(Lane& lane, const Instr& inst);
  void arrayLength(Lane& lane, const Instr& inst);
  void loopNext(Lane& lane, const Instr& inst);
  void take(uint32_t edge) { edges_[edge] = 1; }
  void observeBranch(Lane& lane, const Instr& inst, uint32_t target);
  bool isObserved() const { return dispatch_.observer != nullptr; }
  /// Whether accesses are observed as well.
  bool isWatched() const { return isObserved() && dispatch_.observer->asksForInstances(); }
  /// A value that depends on `mark` takes effect at `site`.
  void reportUndefined(const Lane& lane, uint32_t site, uint32_t mark);
  void report(FindingKind kind, const Lane& lane, uint32_t site, std::string detail = {});

private:
  // workgroup.cpp
  void addShadow(Object& object);
  void begin(uint32_t workgroup);
  void setBuiltIns(Lane& lane);
  void runLane(Lane& lane);
  bool runGroups();
  void releaseBarrier();
  void findKey(Lane& lane) const;
  uint64_t instanceOf(Lane& lane, const Instr& inst) const;

  // access.cpp
  Object* find(const Lane& lane, const Instr& inst, uint64_t address, uint64_t bytes);
  void reportRange(const Lane& lane, uint32_t site, uint64_t address, uint64_t bytes);
  void observeAccess(Lane& lane, const Instr& inst, const Object& object, uint64_t address,
                     uint32_t bytes, uint32_t stride, bool isWrite, uint64_t instance);

  // races.cpp
  void noteRead(const Lane& lane, Object& object, uint64_t offset, uint32_t bytes, uint32_t site);
  void noteWrite(const Lane& lane, Object& object, uint64_t offset, uint32_t bytes, uint32_t site,
                 uint64_t value);
  void noteAtomic(const Lane& lane, Object& object, uint64_t offset, uint32_t bytes, uint32_t site,
                  bool writes);
  bool races(const Lane& lane, Access earlier, uint32_t classAt) const {
    return earlier.tick >= lane.base[classAt] && earlier.lane() != lane.index;
  }
  size_t keepAccess(Access (&slots)[2], const Lane& lane, uint32_t site, uint32_t classAt) const;
  void noteHistory(const Lane& lane, Object& object, uint64_t granule, AccessRun access);
  bool isBehindLastAtomic(const Lane& lane, const HistoryTable& table, uint64_t granule,
                          const AccessRun& access, const AccessRun& earlier,
                          uint32_t classAt) const;
  void checkHistory(const Lane& lane, const Object& object, const HistoryTable& table,
                    uint64_t granule, const AccessRun& access, const AccessRun& earlier);
  void forgetOrdered(const Lane& lane, History& history, const AccessRun& access, uint32_t classAt);
  bool areMutuallyOrdered(const AccessRun& access, const AccessRun& earlier) const;
  bool isCoveredBy(const AccessRun& earlier, const AccessRun& access, uint32_t classAt) const;
  Sharing sharingOf(const AccessRun& run) const;
  HappensBefore::Need needOf(const AccessRun& earlier, bool writes, Sharing now) const;
  void reportRace(FindingKind kind, const Participant& at, const Participant& other,
                  const Object& object, uint64_t granule, std::string_view detail = {});

  // image_access.cpp
  Object* findImage(const Lane& lane, const Instr& inst, uint32_t cell);
  void readImage(Lane& lane, const Instr& inst, Object& object);
  void writeImage(Lane& lane, const Instr& inst, Object& object);
  void sampleImage(Lane& lane, const Instr& inst, Object& object);
  void pointIntoImage(Lane& lane, const Instr& inst, const Object& object);
  uint32_t noteTexelRead(const Lane& lane, Object& object, uint64_t offset, uint32_t site);

  // commit.cpp
  void commitObject(uint32_t index);
  void commitGranule(const Object& object, uint64_t at, const Granule& mine,
                     const AtomicGranule& atomics, ForeignGranule& others);

  DispatchState& dispatch_;
  const Program& program_;
  uint32_t laneCount_ = 0, granuleShift_ = 2;
  std::vector<uint64_t> cells_;
  std::vector<uint32_t> marks_;
  std::vector<Lane> lanes_;
  std::vector<std::vector<Lane*>> subgroups_;
  std::vector<Object> objects_; ///< [0] unused; the dispatch's, then Workgroup variables
  std::vector<std::vector<uint8_t>> workgroupMemory_;
  FindingLog log_;
  uint64_t instructions_ = 0;
  std::vector<uint8_t> edges_;
  bool gaveUp_ = false, isLate_ = false;

  // Of the workgroup under way.
  uint32_t workgroup_ = 0;
  uint64_t instructionsBefore_ = 0;
  HappensBefore happensBefore_;
};

/// Executes a subgroup operation for the lanes that are there together (group.cpp).
void runGroup(std::span<Lane* const> lanes, const GroupInfo& group, uint32_t subgroupSize,
              const Instr& inst);
/// Executes a product of cooperative matrices (cooperative.cpp).
void runMultiply(std::span<Lane* const> lanes, const MultiplyInfo& info, uint32_t subgroupSize,
                 const Instr& inst);

} // namespace lanewise::driver::interpreter
