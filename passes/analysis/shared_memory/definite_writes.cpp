#include "analysis/shared_memory/definite_writes.h"

#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/detours.h"
#include "analysis/control_flow/dominance.h"
#include "analysis/control_flow/loops.h"
#include "analysis/module/barriers.h"
#include "analysis/module/constants.h"
#include "analysis/module/def_use.h"
#include "analysis/module/types.h"
#include "analysis/uniformity/uniformity.h"
#include "analysis/values/affine.h"
#include "analysis/values/index_bounds.h"
#include "analysis/values/lane_values.h"
#include "ir/integer_semantics.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lanewise {
namespace {

/// Instructions and words of sets that are looked at for all variables of an entry point.
constexpr uint64_t kBudget = uint64_t(1) << 25;
/// Iterations of one loop that are run one by one.
constexpr uint32_t kMaxIterations = 1 << 14;
/// Of an instruction that is evaluated.
constexpr uint32_t kMostOperands = 4;
/// Values of an entry point that follow from an invocation's ids, times invocations.
constexpr uint64_t kMostLaneValues = uint64_t(1) << 23;
/// Of an affine form that is looked at.
constexpr uint32_t kMostSteps = 256;

using Value = std::optional<uint32_t>;

/// A set of cells.
class Cells {
public:
  explicit Cells(uint32_t count = 0) : words_((count + 63) / 64) {}
  void add(uint32_t first, uint32_t count) {
    eachWord(first, count, [&](size_t word, uint64_t mask) { words_[word] |= mask; });
  }
  /// Adds those of the row that `known` lacks.
  void addMissing(uint32_t first, uint32_t count, const Cells& known) {
    eachWord(first, count,
             [&](size_t word, uint64_t mask) { words_[word] |= mask & ~known.words_[word]; });
  }
  void add(const Cells& other) {
    for (size_t n = 0; n < words_.size(); ++n) words_[n] |= other.words_[n];
  }
  void keep(const Cells& other) {
    for (size_t n = 0; n < words_.size(); ++n) words_[n] &= other.words_[n];
  }
  void remove(const Cells& other) {
    for (size_t n = 0; n < words_.size(); ++n) words_[n] &= ~other.words_[n];
  }
  bool isEmpty() const {
    return std::all_of(words_.begin(), words_.end(), [](uint64_t w) { return w == 0; });
  }
  size_t words() const { return words_.size(); }

private:
  template <typename Visit>
  static void eachWord(uint32_t first, uint32_t count, Visit&& visit) {
    for (uint32_t n = first; n < first + count;) {
      const uint32_t bit = n % 64, here = std::min(64 - bit, first + count - n);
      visit(n / 64, ~uint64_t(0) >> (64 - here) << bit);
      n += here;
    }
  }

  std::vector<uint64_t> words_;
};

/// What happens in a block, as far as anything depends on it.
struct Event {
  enum class Kind : uint8_t { Value, LocalLoad, LocalStore, Access, Barrier };
  Kind kind{};
  InstRef inst;
  uint32_t index = 0; ///< of the local variable, access or barrier
};

} // namespace

// ---- What is the same for all variables ----

struct DefiniteWrites::State {
  State(Analyses& a, const EntryPoint& e)
      : analyses(a), module(a.module()), entry(e), affine(a, e.workgroupSize->size),
        bounds(a, affine, e, kDefaultSubgroupSize) {
    prepareBlocks();
    collectScalars();
    prepareConstants();
    collectBarriers();
    collectLocals();
    collectLoudBlocks();
    collectDetours();
    prepareLaneValues();
  }

  void prepareBlocks();
  void collectScalars();
  void prepareConstants();
  void collectBarriers();
  void collectLocals();
  bool isLocal(InstRef variable) const;
  void collectLoudBlocks();
  void collectValues();
  void collectDetours();
  /// An integer of 32 bits or a Boolean.
  bool isScalar(Id id) const { return id.value < areScalars.size() && areScalars[id.value]; }
  Value valueOf(Id id) const { return isKnown[id.value] ? Value(values[id.value]) : std::nullopt; }
  void set(Id id, Value value) {
    isKnown[id.value] = value.has_value();
    values[id.value] = value.value_or(0);
  }
  bool isOfLocalId(const AffineExpr& form, uint32_t& steps) const;
  void prepareLaneValues();
  void setLane(uint32_t lane);
  Value fold(InstRef inst) const;

  Analyses& analyses;
  const Module& module;
  const EntryPoint& entry;
  Affine affine;
  IndexBounds bounds;
  bool isReducible = true;
  /// Blocks of a loop (-1: of the function), with the headers of the loops right inside it, in
  /// reverse post-order. By index of the loop + 1.
  std::vector<std::vector<BlockRef>> levels;
  std::vector<InstRef> barriers; ///< that everybody reaches together, and that order everything
  std::unordered_map<Id, uint32_t> locals;
  std::vector<std::pair<BlockRef, uint32_t>> localStores; ///< where, and the local variable
  std::vector<Value> initial;                             ///< of local variables
  std::vector<uint8_t> areScalars;                        ///< by Id
  std::vector<InstRef> chains;                            ///< access chains into Workgroup memory
  /// By BlockRef: those that access Workgroup memory, have a barrier, or store to a local variable.
  std::vector<bool> areLoud;
  std::optional<Detours> detours;
  std::vector<bool> isNeeded;                   ///< by InstRef
  std::vector<std::vector<InstRef>> neededPhis; ///< by BlockRef
  /// What follows from an invocation's ids alone, whatever the way that led there.
  std::vector<std::pair<Id, LaneColumn>> ofLane;
  std::vector<uint8_t> isOfLane; ///< by Id: has a value of `ofLane` now
  std::vector<uint32_t> values;  ///< by Id
  std::vector<uint8_t> isKnown;  ///< by Id
  uint64_t budget = kBudget;
};

void DefiniteWrites::State::prepareBlocks() {
  const Cfg& cfg = analyses.get<Cfg>();
  const Loops& loops = analyses.get<Loops>();
  const auto levelOf = [&](const Loop* loop) {
    return loop ? size_t(loop - loops.all().data()) + 1 : 0;
  };
  isReducible = lanewise::isReducible(analyses, entry.function);
  levels.resize(loops.all().size() + 1);
  for (BlockRef b : cfg.reversePostOrder(entry.function)) {
    const Loop* loop = loops.innermost(b);
    levels[levelOf(loop)].push_back(b);
    if (loop && loop->header == b) levels[levelOf(loops.parent(*loop))].push_back(b);
  }
}

void DefiniteWrites::State::collectScalars() {
  const Types& types = analyses.get<Types>();
  areScalars.resize(module.idBound());
  for (InstRef i : module.insts()) {
    const TypeInfo& info = types.info(module.resultType(i));
    if (info.kind == TypeInfo::Kind::Bool || (info.kind == TypeInfo::Kind::Int && info.width == 32))
      areScalars[module.resultId(i).value] = true;
  }
}

void DefiniteWrites::State::prepareConstants() {
  values.resize(module.idBound());
  isKnown.resize(module.idBound());
  const Constants& constants = analyses.get<Constants>();
  for (InstRef i : module.globals()) {
    const Id id = module.resultId(i);
    if (!id || !isScalar(id)) continue;
    if (const auto literal = constants.literal(id)) set(id, uint32_t(*literal));
  }
}

void DefiniteWrites::State::collectBarriers() {
  const Uniformity& uniformity = uniformityOf(analyses);
  for (InstRef i : module.functionInsts(entry.function)) {
    if (!isBarrier(module.opcode(i)) || !uniformity.isUniform(module.blockOf(i))) continue;
    const Barrier barrier = readBarrier(analyses, i); // a memory barrier waits for no invocation
    if (barrier.isKnown && rankOf(barrier.execution) >= kWorkgroupRank &&
        rankOf(barrier.memory) >= kWorkgroupRank && barrier.orders(MemoryClass::Workgroup))
      barriers.push_back(i);
  }
}

/// A variable that holds a scalar, and that only loads and stores of this function use.
bool DefiniteWrites::State::isLocal(InstRef variable) const {
  const Id id = module.resultId(variable);
  const auto storage = spv::StorageClass(module.word(variable, 3));
  if (storage != spv::StorageClass::Function && storage != spv::StorageClass::Private) return false;
  const Types& types = analyses.get<Types>();
  const TypeInfo& info = types.info(types.pointee(id));
  if (info.kind != TypeInfo::Kind::Bool && !(info.kind == TypeInfo::Kind::Int && info.width == 32))
    return false;
  for (const Use& use : analyses.get<DefUse>().uses(id)) {
    const OpClass opClass = module.facts(use.user).opClass;
    if (opClass == OpClass::Debug || opClass == OpClass::Annotation || opClass == OpClass::Preamble)
      continue;
    const spv::Op op = module.opcode(use.user);
    const bool isAccess =
        (op == spv::Op::OpLoad && use.word == 3) || (op == spv::Op::OpStore && use.word == 1);
    if (!isAccess || module.functionOf(module.blockOf(use.user)) != entry.function) return false;
  }
  return true;
}

void DefiniteWrites::State::collectLocals() {
  for (InstRef i : module.insts()) {
    if (module.opcode(i) != spv::Op::OpVariable || !isLocal(i)) continue;
    locals.emplace(module.resultId(i), uint32_t(initial.size()));
    initial.push_back(module.wordCount(i) > 4 ? valueOf(module.idAt(i, 4)) : std::nullopt);
  }
  for (InstRef i : module.functionInsts(entry.function)) {
    if (module.opcode(i) != spv::Op::OpStore) continue;
    const auto local = locals.find(module.idAt(i, 1));
    if (local != locals.end()) localStores.emplace_back(module.blockOf(i), local->second);
  }
}

void DefiniteWrites::State::collectLoudBlocks() {
  areLoud.resize(module.blockCount() + 1);
  for (InstRef barrier : barriers) areLoud[module.blockOf(barrier).value] = true;
  for (auto [block, local] : localStores) areLoud[block.value] = true;
  std::vector<Id> pointers;
  for (InstRef i : module.globals())
    if (module.opcode(i) == spv::Op::OpVariable &&
        spv::StorageClass(module.word(i, 3)) == spv::StorageClass::Workgroup)
      pointers.push_back(module.resultId(i));
  while (!pointers.empty()) {
    const Id pointer = pointers.back();
    pointers.pop_back();
    for (const Use& use : analyses.get<DefUse>().uses(pointer)) {
      const spv::Op op = module.opcode(use.user);
      areLoud[module.blockOf(use.user).value] = true;
      if (op != spv::Op::OpAccessChain && op != spv::Op::OpInBoundsAccessChain) continue;
      chains.push_back(use.user);
      pointers.push_back(module.resultId(use.user));
    }
  }
}

/// Marks what conditions, indices and local variables are computed from.
void DefiniteWrites::State::collectValues() {
  isNeeded.assign(module.instCount() + 1, false);
  std::vector<InstRef> work;
  const auto need = [&](Id id) {
    const InstRef def = module.def(id);
    if (!def || !module.blockOf(def) || isNeeded[def.value] || !isScalar(id)) return;
    isNeeded[def.value] = true;
    work.push_back(def);
  };
  for (InstRef i : module.functionInsts(entry.function)) {
    const spv::Op op = module.opcode(i);
    const bool isChoice = op == spv::Op::OpBranchConditional || op == spv::Op::OpSwitch;
    const BlockRef block = module.blockOf(i);
    if (isChoice && !detours->isLeftOut(block) && !detours->pastChoice(block))
      need(module.idAt(i, 1));
    if (op == spv::Op::OpStore && locals.contains(module.idAt(i, 1))) need(module.idAt(i, 2));
  }
  for (InstRef chain : chains)
    for (uint32_t w = 4; w < module.wordCount(chain); ++w) need(module.idAt(chain, w));
  while (!work.empty()) {
    const InstRef inst = work.back();
    work.pop_back();
    // Operands that are no ids of scalars are literals by chance: marking too much only costs time.
    if (module.opcode(inst) == spv::Op::OpLoad) continue;
    for (uint32_t w = 3; w < module.wordCount(inst); ++w)
      if (module.word(inst, w) < module.idBound()) need(module.idAt(inst, w));
  }
  neededPhis.assign(module.blockCount() + 1, {});
  for (InstRef i : module.functionInsts(entry.function))
    if (isNeeded[i.value] && module.opcode(i) == spv::Op::OpPhi)
      neededPhis[module.blockOf(i).value].push_back(i);
}

/// Less is needed where less is walked, and less is walked where less is needed.
void DefiniteWrites::State::collectDetours() {
  const auto isSeenOutside = [&](BlockRef block, const std::function<bool(BlockRef)>& isInside) {
    for (InstRef i : module.blockInsts(block))
      if (isNeeded[i.value])
        for (const Use& use : analyses.get<DefUse>().uses(module.resultId(i)))
          if (const BlockRef user = module.blockOf(use.user); user && !isInside(user)) return true;
    return false;
  };
  detours.emplace(analyses, std::span(&entry.function, 1), areLoud);
  for (int round = 0; round < 2; ++round) {
    collectValues();
    detours->find(
        {[&](BlockRef block) { return !neededPhis[block.value].empty(); }, isSeenOutside});
  }
}

/// Whether it depends on constants and the LocalInvocationId alone.
bool DefiniteWrites::State::isOfLocalId(const AffineExpr& form, uint32_t& steps) const {
  const auto isPart = [&](const auto& part) {
    const AffineTerm& term = affine.term(part.first);
    if (term.kind == AffineTerm::Kind::LocalId) return true;
    return term.kind == AffineTerm::Kind::Derived && steps++ < kMostSteps &&
           std::all_of(term.args.begin(), term.args.end(), [&](uint32_t argument) {
             return isOfLocalId(affine.argument(argument), steps);
           });
  };
  return !form.dependsOnSpec && std::all_of(form.terms.begin(), form.terms.end(), isPart);
}

void DefiniteWrites::State::prepareLaneValues() {
  std::vector<std::pair<Id, const AffineExpr*>> forms;
  for (InstRef i : module.functionInsts(entry.function)) {
    if (!isNeeded[i.value] || module.opcode(i) == spv::Op::OpPhi) continue;
    const AffineExpr& form = affine.of(module.resultId(i));
    uint32_t steps = 0;
    if (isOfLocalId(form, steps)) forms.emplace_back(module.resultId(i), &form);
  }
  isOfLane.resize(module.idBound());
  const auto& size = entry.workgroupSize;
  if (forms.size() * size->invocations() > kMostLaneValues) {
    budget = 0;
    return;
  }
  LaneValues columns(affine, size->size, kDefaultSubgroupSize);
  for (auto [id, form] : forms) ofLane.emplace_back(id, columns.of(*form));
}

void DefiniteWrites::State::setLane(uint32_t lane) {
  for (const auto& [id, column] : ofLane) {
    set(id, column.value(lane));
    isOfLane[id.value] = isKnown[id.value];
  }
}

/// From the values of the operands alone.
Value DefiniteWrites::State::fold(InstRef inst) const {
  const spv::Op op = module.opcode(inst);
  const bool isExtended = op == spv::Op::OpExtInst;
  const uint32_t base = isExtended ? 5 : 3;
  if (isExtended && module.extInstSet(module.idAt(inst, 3)) != ExtInstSet::GlslStd450) return {};
  if (module.wordCount(inst) <= base || module.wordCount(inst) > base + kMostOperands) return {};
  std::array<Value, kMostOperands> operands;
  const uint32_t count = module.wordCount(inst) - base;
  for (uint32_t n = 0; n < count; ++n) {
    const Id id = module.idAt(inst, base + n);
    if (!isScalar(id)) return {};
    operands[n] = valueOf(id);
  }
  const auto is = [&](size_t n, uint32_t value) { return operands[n] == Value(value); };
  switch (op) {
  case spv::Op::OpCopyObject:
  case spv::Op::OpBitcast:
    return operands[0];
  case spv::Op::OpSelect:
    if (operands[0]) return operands[*operands[0] != 0 ? 1 : 2];
    return operands[1] == operands[2] ? operands[1] : std::nullopt;
  case spv::Op::OpLogicalAnd:
    if (is(0, 0) || is(1, 0)) return 0;
    break;
  case spv::Op::OpLogicalOr:
    if (is(0, 1) || is(1, 1)) return 1;
    break;
  default:
    break;
  }
  std::array<uint64_t, kMostOperands> bits;
  for (uint32_t n = 0; n < count; ++n) {
    if (!operands[n]) return {};
    bits[n] = *operands[n];
  }
  const std::span<const uint64_t> known(bits.data(), count);
  const IntegerResult result = isExtended ? evaluateGlslInteger(module.word(inst, 4), 32, known)
                                          : evaluateInteger(op, 32, known);
  return result.isDefined() ? Value(uint32_t(result.bits)) : std::nullopt;
}

// ---- One variable ----

class DefiniteWrites::Walk {
public:
  Walk(State& state, const CellVariable& variable, std::span<const InstRef> without)
      : state_(state), module_(state.module), variable_(variable),
        loops_(state.analyses.get<Loops>()), cfg_(state.analyses.get<Cfg>()),
        missing_(variable.accesses.size(), Cells(variable.cells)),
        isUnknown_(variable.accesses.size()), leaves_(variable.accesses.size()),
        behind_(state.barriers.size(), Cells(variable.cells)), arrivals_(module_.blockCount() + 1) {
    collectEvents(without);
  }

  Verdict run() {
    const auto& size = state_.entry.workgroupSize;
    for (uint64_t n = 0; n < size->invocations(); ++n) {
      state_.setLane(uint32_t(n));
      reached_.assign(state_.barriers.size(), std::nullopt);
      walkLevel(nullptr, {{Cells(variable_.cells), state_.initial}, {}});
      if (state_.budget == 0) return {"too-large", {}};
      if (isHopeless()) break;
      for (size_t b = 0; b < behind_.size(); ++b)
        if (reached_[b]) behind_[b].add(*reached_[b]);
    }
    return judge();
  }

private:
  /// What is known at a place.
  struct Known {
    Cells written;
    std::vector<Value> locals;
  };
  /// The same on the way to a block.
  struct Arrival {
    Known known;
    std::vector<BlockRef> from; ///< blocks that the ways come from, where phis ask for them
  };
  struct Exit {
    BlockRef from, to;
    Known known;
  };
  /// How a way through a loop's blocks may end.
  struct Outcome {
    std::optional<Arrival> back; ///< at the header again
    std::vector<Exit> exits;
  };
  struct Level {
    const Loop* loop;
    Outcome outcome;
  };

  void collectEvents(std::span<const InstRef> without);
  bool isBehind(size_t barrier, size_t access) const;
  bool isHopeless() const;
  Verdict judge();

  Outcome walkLevel(const Loop* loop, Arrival start);
  Outcome walkLoop(const Loop& loop, Arrival start);
  void arrive(Level& level, BlockRef from, BlockRef to, Known known);
  void join(std::optional<Arrival>& arrival, BlockRef from, BlockRef to, Known known) const;
  void setPhis(BlockRef block, std::span<const BlockRef> from);
  void forgetPhis(BlockRef block);
  void execute(BlockRef block, Known& known);
  void access(uint32_t index, Known& known);
  std::span<const BlockRef> next(BlockRef block);
  void spend(uint64_t work) { state_.budget -= std::min(state_.budget, work); }

  State& state_;
  const Module& module_;
  const CellVariable& variable_;
  const Loops& loops_;
  const Cfg& cfg_;
  std::vector<std::vector<Event>> events_; ///< by BlockRef
  std::vector<Cells> missing_;  ///< by access: what the invocation may read and did not write
  std::vector<bool> isLeftOut_; ///< by access: a store that is taken not to be there
  std::vector<bool> isUnknown_; ///< by access: an index had no value
  std::vector<bool> leaves_;    ///< by access: an index was out of range
  std::vector<Cells> behind_;   ///< by barrier: what all invocations together have written
  BlockRef next_;               ///< the only block that may follow
  std::vector<std::pair<Id, Value>> phiValues_;
  std::vector<std::optional<Cells>> reached_; ///< by barrier: what this invocation has written
  /// By BlockRef: of all levels together, since only one of them at a time waits at a block.
  std::vector<std::optional<Arrival>> arrivals_;
};

void DefiniteWrites::Walk::collectEvents(std::span<const InstRef> without) {
  events_.resize(module_.blockCount() + 1);
  std::unordered_map<InstRef, uint32_t> accessAt, barrierAt;
  for (uint32_t n = 0; n < variable_.accesses.size(); ++n) {
    const InstRef access = variable_.accesses[n].inst;
    accessAt.emplace(access, n);
    isLeftOut_.push_back(std::binary_search(without.begin(), without.end(), access));
  }
  for (uint32_t n = 0; n < state_.barriers.size(); ++n) barrierAt.emplace(state_.barriers[n], n);
  const auto localOf = [&](InstRef i, uint32_t word) {
    const auto local = state_.locals.find(module_.idAt(i, word));
    return local == state_.locals.end() ? std::nullopt : std::optional(local->second);
  };
  for (BlockRef b : cfg_.reversePostOrder(state_.entry.function)) {
    std::vector<Event>& events = events_[b.value];
    for (InstRef i : module_.blockInsts(b)) {
      const spv::Op op = module_.opcode(i);
      if (const auto access = accessAt.find(i); access != accessAt.end())
        events.push_back({Event::Kind::Access, i, access->second});
      else if (const auto barrier = barrierAt.find(i); barrier != barrierAt.end())
        events.push_back({Event::Kind::Barrier, i, barrier->second});
      else if (op == spv::Op::OpStore && localOf(i, 1))
        events.push_back({Event::Kind::LocalStore, i, *localOf(i, 1)});
      else if (op == spv::Op::OpLoad && localOf(i, 3))
        events.push_back({Event::Kind::LocalLoad, i, *localOf(i, 3)});
      if (state_.isNeeded[i.value] && op != spv::Op::OpPhi &&
          (events.empty() || events.back().inst != i))
        events.push_back({Event::Kind::Value, i, 0});
    }
  }
}

/// Every way to the access comes over the barrier.
bool DefiniteWrites::Walk::isBehind(size_t barrier, size_t access) const {
  return state_.analyses.get<Dominance>().dominates(module_, state_.barriers[barrier],
                                                    variable_.accesses[access].inst);
}

/// A read with no barrier in front of it lacks what its own invocation did not write: what further
/// invocations do changes nothing.
bool DefiniteWrites::Walk::isHopeless() const {
  for (size_t n = 0; n < variable_.accesses.size(); ++n) {
    if (missing_[n].isEmpty()) continue;
    bool hasBarrier = false;
    for (size_t b = 0; b < state_.barriers.size(); ++b) hasBarrier = hasBarrier || isBehind(b, n);
    if (!hasBarrier) return true;
  }
  return false;
}

/// Which reads have what they need, now that every invocation has been walked, or enough of them to
/// see that one has not.
DefiniteWrites::Verdict DefiniteWrites::Walk::judge() {
  for (size_t n = 0; n < variable_.accesses.size(); ++n) {
    const CellAccess& access = variable_.accesses[n];
    if (access.kind == CellAccess::Kind::Write && !isLeftOut_[n]) continue;
    if (leaves_[n]) return {"unproved-index", access.inst};
    for (size_t b = 0; b < state_.barriers.size(); ++b)
      if (isBehind(b, n)) missing_[n].remove(behind_[b]);
    if (!missing_[n].isEmpty()) return {"not-overwritten", access.inst};
    const BlockRef block = module_.blockOf(access.inst);
    if (isUnknown_[n])
      for (const CellAccess::Index& index : access.indices)
        if (!state_.bounds.isProved(index.id, index.extent, block))
          return {"unproved-index", access.inst};
  }
  return {};
}

// ---- Control flow ----

/// Walks the blocks of a loop once, or those of the function; loops inside as a whole. The phis of
/// a loop's header have been set.
DefiniteWrites::Walk::Outcome DefiniteWrites::Walk::walkLevel(const Loop* loop, Arrival start) {
  const auto& blocks = state_.levels[loop ? size_t(loop - loops_.all().data()) + 1 : 0];
  Level level{loop, {}};
  const BlockRef first = blocks.front();
  arrivals_[first.value] = std::move(start);
  for (BlockRef block : blocks) {
    if (!arrivals_[block.value] || state_.budget == 0) continue;
    Arrival arrival = std::move(*arrivals_[block.value]);
    arrivals_[block.value].reset();
    const Loop* inner = loops_.innermost(block);
    if (inner != loop && state_.detours->pastLoop(block)) {
      arrive(level, block, state_.detours->pastLoop(block), std::move(arrival.known));
      continue;
    }
    if (inner != loop) {
      Outcome outcome = walkLoop(*inner, std::move(arrival));
      for (Exit& exit : outcome.exits) arrive(level, exit.from, exit.to, std::move(exit.known));
      continue;
    }
    if (block != first) setPhis(block, arrival.from);
    execute(block, arrival.known);
    if (const BlockRef past = state_.detours->pastChoice(block)) {
      arrive(level, block, past, std::move(arrival.known));
      continue;
    }
    const auto targets = next(block);
    for (size_t n = 0; n < targets.size(); ++n)
      arrive(level, block, targets[n],
             n + 1 < targets.size() ? arrival.known : std::move(arrival.known));
  }
  return std::move(level.outcome);
}

/// Iteration by iteration while it is known whether another one follows; else all of them at once.
DefiniteWrites::Walk::Outcome DefiniteWrites::Walk::walkLoop(const Loop& loop, Arrival start) {
  Arrival now = start;
  for (uint32_t n = 0; n < kMaxIterations && state_.budget != 0; ++n) {
    setPhis(loop.header, now.from);
    Outcome outcome = walkLevel(&loop, std::move(now));
    if (!outcome.back) return outcome;
    if (!outcome.exits.empty()) break;
    now = std::move(*outcome.back);
  }
  forgetPhis(loop.header);
  for (auto [block, local] : state_.localStores)
    if (loops_.contains(loop, block)) start.known.locals[local].reset();
  return walkLevel(&loop, std::move(start));
}

void DefiniteWrites::Walk::arrive(Level& level, BlockRef from, BlockRef to, Known known) {
  spend(1 + known.written.words());
  if (level.loop && to == level.loop->header) {
    join(level.outcome.back, from, to, std::move(known));
  } else if (level.loop && !loops_.contains(*level.loop, to)) {
    level.outcome.exits.push_back({from, to, std::move(known)});
  } else {
    join(arrivals_[to.value], from, to, std::move(known));
  }
}

/// What holds whichever of the ways was taken.
void DefiniteWrites::Walk::join(std::optional<Arrival>& arrival, BlockRef from, BlockRef to,
                                Known known) const {
  const bool isFirst = !arrival;
  if (isFirst) arrival = Arrival{std::move(known), {}};
  if (!state_.neededPhis[to.value].empty()) arrival->from.push_back(from);
  if (isFirst) return;
  arrival->known.written.keep(known.written);
  for (size_t n = 0; n < known.locals.size(); ++n)
    if (arrival->known.locals[n] != known.locals[n]) arrival->known.locals[n].reset();
}

void DefiniteWrites::Walk::setPhis(BlockRef block, std::span<const BlockRef> from) {
  std::vector<std::pair<Id, Value>>& values = phiValues_; // all read before any is set
  values.clear();
  for (InstRef i : state_.neededPhis[block.value]) {
    Value value;
    bool isFirst = true;
    for (uint32_t w = 3; w + 1 < module_.wordCount(i); w += 2) {
      const BlockRef parent = module_.blockOfLabel(module_.idAt(i, w + 1));
      if (std::find(from.begin(), from.end(), parent) == from.end()) continue;
      const Value incoming = state_.valueOf(module_.idAt(i, w));
      if (isFirst)
        value = incoming;
      else if (value != incoming)
        value.reset();
      isFirst = false;
    }
    values.emplace_back(module_.resultId(i), value);
  }
  for (auto [id, value] : values) state_.set(id, value);
}

void DefiniteWrites::Walk::forgetPhis(BlockRef block) {
  for (InstRef i : module_.blockInsts(block))
    if (module_.opcode(i) == spv::Op::OpPhi) state_.set(module_.resultId(i), std::nullopt);
}

/// The blocks that may follow; valid until the next call.
std::span<const BlockRef> DefiniteWrites::Walk::next(BlockRef block) {
  const InstRef end = module_.terminator(block);
  const auto all = cfg_.successors(block);
  const spv::Op op = module_.opcode(end);
  const bool isChoice = op == spv::Op::OpBranchConditional || op == spv::Op::OpSwitch;
  const Value value = isChoice && state_.isScalar(module_.idAt(end, 1))
                          ? state_.valueOf(module_.idAt(end, 1))
                          : std::nullopt;
  if (!value) return all;
  const auto label = [&](uint32_t word) {
    next_ = module_.blockOfLabel(module_.idAt(end, word));
    return std::span<const BlockRef>(&next_, 1);
  };
  if (op == spv::Op::OpBranchConditional) return label(*value != 0 ? 2 : 3);
  for (uint32_t w = 3; w + 1 < module_.wordCount(end); w += 2)
    if (module_.word(end, w) == *value) return label(w + 1);
  return label(2);
}

// ---- Instructions ----

void DefiniteWrites::Walk::execute(BlockRef block, Known& known) {
  const std::vector<Event>& events = events_[block.value];
  spend(events.size() + 1);
  for (const Event& event : events) {
    switch (event.kind) {
    case Event::Kind::Value:
      if (const Id id = module_.resultId(event.inst); !state_.isOfLane[id.value])
        state_.set(id, state_.fold(event.inst));
      break;
    case Event::Kind::LocalLoad:
      state_.set(module_.resultId(event.inst), known.locals[event.index]);
      break;
    case Event::Kind::LocalStore:
      known.locals[event.index] = state_.valueOf(module_.idAt(event.inst, 2));
      break;
    case Event::Kind::Access:
      access(event.index, known);
      break;
    case Event::Kind::Barrier:
      spend(known.written.words());
      if (auto& reached = reached_[event.index])
        reached->keep(known.written);
      else
        reached = known.written;
      break;
    }
  }
}

void DefiniteWrites::Walk::access(uint32_t index, Known& known) {
  const CellAccess& access = variable_.accesses[index];
  uint32_t first = access.first;
  bool isUnknown = false;
  for (const CellAccess::Index& step : access.indices) {
    const Value value = state_.isScalar(step.id) ? state_.valueOf(step.id) : std::nullopt;
    if (value && *value >= step.extent) {
      leaves_[index] = true;
      return;
    }
    isUnknown |= !value;
    first += value.value_or(0) * step.stride;
  }
  isUnknown_[index] = isUnknown_[index] || isUnknown;
  if (access.kind == CellAccess::Kind::Write) {
    if (!isUnknown && !isLeftOut_[index]) known.written.add(first, access.count);
    return;
  }
  spend(known.written.words());
  if (isUnknown)
    missing_[index].addMissing(0, variable_.cells, known.written);
  else
    missing_[index].addMissing(first, access.count, known.written);
}

// ---- Questions ----

DefiniteWrites::DefiniteWrites(Analyses& analyses, const EntryPoint& entry)
    : state_(std::make_unique<State>(analyses, entry)) {}
DefiniteWrites::~DefiniteWrites() = default;

DefiniteWrites::Verdict DefiniteWrites::areReadsCovered(const CellVariable& variable,
                                                        std::span<const InstRef> without) {
  if (!state_->isReducible) return {"irreducible-control-flow", {}};
  return Walk(*state_, variable, without).run();
}

} // namespace lanewise
