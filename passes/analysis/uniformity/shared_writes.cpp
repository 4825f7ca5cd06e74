#include "analysis/uniformity/shared_writes.h"

#include "analysis/control_flow/cfg.h"
#include "analysis/module/barriers.h"
#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/entry_points.h"
#include "analysis/module/types.h"
#include "analysis/uniformity/uniformity.h"

#include <algorithm>
#include <span>
#include <unordered_map>

namespace lanewise {
namespace {

/// A set of Workgroup variables; the last bit stands for all that have none of their own.
using VariableSet = uint64_t;
constexpr VariableSet kAll = ~VariableSet(0);
constexpr uint32_t kOwnBits = 63;

class Finder {
public:
  explicit Finder(Analyses& analyses) : analyses_(analyses), module_(analyses.module()) {}

  std::vector<InstRef> run() {
    collectVariables();
    if (bits_.empty() || isOrderedByAtomics()) return {};
    for (const EntryPoint& entry : analyses_.get<EntryPoints>().all())
      if (entry.function) isEntry_.push_back(entry.function);
    hasLoads_.assign(module_.functionCount() + 1, false);
    collectEvents();
    std::vector<InstRef> found;
    summaries_.resize(module_.blockCount() + 1);
    before_.assign(module_.blockCount() + 1, 0);
    after_.assign(module_.blockCount() + 1, 0);
    for (uint32_t f = 1; f <= module_.functionCount(); ++f)
      if (hasLoads_[f]) look(FunctionRef(f), found);
    std::sort(found.begin(), found.end());
    return found;
  }

private:
  void collectVariables() {
    bool mayAlias = false;
    for (InstRef i : module_.globals()) {
      if (module_.facts(i).opClass != OpClass::Variable) continue;
      const Id id = module_.resultId(i);
      if (analyses_.get<Types>().storageOf(id) != spv::StorageClass::Workgroup) continue;
      bits_.emplace(id, VariableSet(1) << std::min<size_t>(bits_.size(), kOwnBits));
      // Blocks of Workgroup memory lie over one another (SPV_KHR_workgroup_memory_explicit_layout).
      const Decorations& decorations = analyses_.get<Decorations>();
      mayAlias = mayAlias || decorations.has(id, spv::Decoration::Aliased) ||
                 decorations.has(analyses_.get<Types>().pointee(id), spv::Decoration::Block);
    }
    if (mayAlias)
      for (auto& [id, bit] : bits_) bit = kAll;
  }

  /// Whether invocations may hand Workgroup memory to one another between barriers.
  bool isOrderedByAtomics() const {
    bool hasAtomics = false, hasFences = false;
    for (InstRef i : module_.insts()) {
      if (!module_.blockOf(i)) continue;
      if (module_.hasUnknown() && module_.isUnknown(i)) return true;
      const Effect effects = module_.effects(i);
      if (effects == Effect::None) continue;
      if (module_.opcode(i) == spv::Op::OpMemoryBarrier) hasFences = true;
      if (!has(effects, Effect::Atomic)) continue;
      if (module_.isUnread(i)) return true;
      hasAtomics = true;
      if (orders(i)) return true;
    }
    return hasAtomics && hasFences;
  }

  /// Whether an atomic instruction may have semantics other than relaxed.
  bool orders(InstRef i) const {
    const uint32_t semantics = atomicSemanticsWord(module_.facts(i));
    if (module_.wordCount(i) <= semantics) return true;
    auto value = analyses_.get<Constants>().literal(module_.idAt(i, semantics));
    return !value || (*value & kOrderBits) != 0;
  }

  VariableSet bitOf(Id pointer) const {
    auto storage = analyses_.get<Types>().storageOf(pointer);
    if (!storage) return 0; // no pointer
    if (*storage == spv::StorageClass::Generic) return kAll;
    if (*storage != spv::StorageClass::Workgroup) return 0;
    const Id variable = originVariableOf(analyses_, pointer);
    auto found = bits_.find(variable);
    return found == bits_.end() ? kAll : found->second;
  }

  VariableSet writesOf(InstRef i) const {
    if (module_.isUnread(i)) return kAll;
    if (!has(module_.effects(i), Effect::WritesMemory)) return 0;
    VariableSet set = 0;
    if (module_.opcode(i) == spv::Op::OpStore || module_.opcode(i) == spv::Op::OpCopyMemory)
      return bitOf(module_.idAt(i, 1));
    module_.forEachIdOperand(i, [&](uint32_t, Id id) { set |= bitOf(id); });
    return set;
  }

  bool isEntry(FunctionRef f) const {
    return std::find(isEntry_.begin(), isEntry_.end(), f) != isEntry_.end();
  }

  /// Whether all invocations of the workgroup wait here, and see the Workgroup memory that the
  /// others wrote.
  bool separates(InstRef i) const {
    if (module_.opcode(i) != spv::Op::OpControlBarrier) return false;
    const Barrier barrier = readBarrier(analyses_, i);
    return barrier.isKnown && rankOf(barrier.execution) == kWorkgroupRank &&
           rankOf(barrier.memory) >= kWorkgroupRank && barrier.orders(MemoryClass::Workgroup);
  }

  bool isLoad(InstRef i) const {
    return module_.opcode(i) == spv::Op::OpLoad &&
           analyses_.get<Types>().storageOf(module_.idAt(i, 3)) == spv::StorageClass::Workgroup;
  }

  /// What matters here of an instruction; most have nothing of it.
  struct Event {
    InstRef inst;
    VariableSet writes = 0;
    VariableSet loads = 0; ///< of an OpLoad
    bool separates = false;
    bool isCall = false;

    VariableSet behind(VariableSet set) const { return separates ? 0 : set | writes; }
  };

  /// What a block does to what was written since the last barrier, and before the next one.
  struct Summary {
    VariableSet ahead = 0, behind = 0; ///< written ahead of its first barrier, behind its last one
    bool separates = false;
  };

  std::span<const Event> eventsOf(BlockRef b) const {
    return std::span(events_).subspan(eventsBegin_[b.value],
                                      eventsBegin_[b.value + 1] - eventsBegin_[b.value]);
  }

  void collectEvents() {
    eventsBegin_.assign(module_.blockCount() + 2, 0);
    for (uint32_t b = 1; b <= module_.blockCount(); ++b) {
      eventsBegin_[b] = uint32_t(events_.size());
      for (InstRef i : module_.blockInsts(BlockRef(b))) collectEvent(i, BlockRef(b));
    }
    eventsBegin_.back() = uint32_t(events_.size());
    for (Event& event : events_)
      if (event.isCall) event.writes = calleeWrites_;
  }

  void collectEvent(InstRef i, BlockRef b) {
    if (module_.effects(i) == Effect::None) return;
    Event event{i};
    event.isCall = module_.opcode(i) == spv::Op::OpFunctionCall;
    event.separates = separates(i);
    event.writes = writesOf(i);
    if (isLoad(i)) event.loads = bitOf(module_.idAt(i, 3));
    everWritten_ |= event.writes;
    const FunctionRef f = module_.functionOf(b);
    if (event.writes != 0 && !isEntry(f)) calleeWrites_ |= event.writes;
    if (event.loads != 0) hasLoads_[f.value] = true;
    if (event.writes != 0 || event.loads != 0 || event.separates || event.isCall)
      events_.push_back(event);
  }

  Summary summaryOf(BlockRef b) const {
    Summary summary;
    for (const Event& event : eventsOf(b)) {
      if (event.separates)
        summary.separates = true;
      else if (!summary.separates)
        summary.ahead |= event.writes;
      summary.behind = event.behind(summary.behind);
    }
    return summary;
  }

  /// What may have been written since the last barrier at the start of each block, and what may be
  /// written before the next one at its end.
  void flow(FunctionRef f, bool isForward, std::vector<VariableSet>& at) const {
    const Cfg& cfg = analyses_.get<Cfg>();
    auto order = cfg.reversePostOrder(f);
    std::vector<BlockRef> blocks(order.begin(), order.end());
    if (!isForward) std::reverse(blocks.begin(), blocks.end());
    const VariableSet outside = isEntry(f) ? 0 : kAll;
    if (isForward && !blocks.empty()) at[blocks.front().value] = outside;
    for (bool changed = true; changed;) {
      changed = false;
      for (BlockRef b : blocks) {
        if (!isForward && cfg.successors(b).empty()) at[b.value] |= outside;
        const Summary& summary = summaries_[b.value];
        const VariableSet out =
            (isForward ? summary.behind : summary.ahead) | (summary.separates ? 0 : at[b.value]);
        for (BlockRef next : isForward ? cfg.successors(b) : cfg.predecessors(b)) {
          if (!cfg.isReachable(next) || (at[next.value] | out) == at[next.value]) continue;
          at[next.value] |= out;
          changed = true;
        }
      }
    }
  }

  void look(FunctionRef f, std::vector<InstRef>& found) {
    const auto order = analyses_.get<Cfg>().reversePostOrder(f);
    for (BlockRef b : order) summaries_[b.value] = summaryOf(b);
    flow(f, true, before_);
    flow(f, false, after_);
    std::vector<VariableSet> behind;
    for (BlockRef b : order) {
      const auto events = eventsOf(b);
      behind.assign(events.size() + 1, after_[b.value]);
      for (size_t n = events.size(); n-- > 0;) behind[n] = events[n].behind(behind[n + 1]);
      VariableSet set = before_[b.value];
      for (size_t n = 0; n < events.size(); ++n) {
        const VariableSet bit = events[n].loads;
        if (bit != 0 && ((set | behind[n]) & bit) == 0 && (everWritten_ & bit) != 0)
          found.push_back(events[n].inst);
        set = events[n].behind(set);
      }
    }
  }

  Analyses& analyses_;
  const Module& module_;
  std::unordered_map<Id, VariableSet> bits_; ///< looked up only
  std::vector<Event> events_;                ///< of all blocks, in their order
  std::vector<uint32_t> eventsBegin_;        ///< by BlockRef, into events_
  std::vector<Summary> summaries_;           ///< by BlockRef
  std::vector<VariableSet> before_, after_;  ///< by BlockRef: see flow()
  VariableSet everWritten_ = 0, calleeWrites_ = 0;
  std::vector<FunctionRef> isEntry_;
  std::vector<bool> hasLoads_; ///< by FunctionRef
};

} // namespace

SharedWrites::SharedWrites(Analyses& analyses) : loads_(Finder(analyses).run()) {}

bool SharedWrites::isUnwrittenAround(InstRef load) const {
  return std::binary_search(loads_.begin(), loads_.end(), load);
}

} // namespace lanewise
