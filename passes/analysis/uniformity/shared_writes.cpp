#include "analysis/uniformity/shared_writes.h"

#include "analysis/control_flow/cfg.h"
#include "analysis/module/barriers.h"
#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/entry_points.h"
#include "analysis/module/types.h"
#include "analysis/uniformity/uniformity.h"

#include <algorithm>
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
    writes_.assign(module_.instCount() + 1, 0);
    for (InstRef i : module_.insts()) {
      if (!module_.blockOf(i)) continue;
      writes_[i.value] = writesOf(i);
      everWritten_ |= writes_[i.value];
    }
    for (const EntryPoint& entry : analyses_.get<EntryPoints>().all())
      if (entry.function) isEntry_.push_back(entry.function);
    for (InstRef i : module_.insts()) {
      BlockRef b = module_.blockOf(i);
      if (b && !isEntry(module_.functionOf(b))) calleeWrites_ |= writes_[i.value];
    }
    std::vector<InstRef> found;
    before_.assign(module_.blockCount() + 1, 0);
    after_.assign(module_.blockCount() + 1, 0);
    for (uint32_t f = 1; f <= module_.functionCount(); ++f) look(FunctionRef(f), found);
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
      if (module_.isUnknown(i)) return true;
      if (module_.opcode(i) == spv::Op::OpMemoryBarrier) hasFences = true;
      if (!has(module_.effects(i), Effect::Atomic)) continue;
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
    const Id variable = originOf(analyses_, pointer).variable;
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

  VariableSet step(InstRef i, VariableSet set) const {
    if (separates(i)) return 0;
    if (module_.opcode(i) == spv::Op::OpFunctionCall) return set | calleeWrites_;
    return set | writes_[i.value];
  }

  VariableSet through(BlockRef b, VariableSet set, bool isForward) const {
    const InstRange range = module_.blockInsts(b);
    for (uint32_t n = 0; n < range.size(); ++n)
      set = step(InstRef(isForward ? range.first.value + n : range.last.value - 1 - n), set);
    return set;
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
        const VariableSet out = through(b, at[b.value], isForward);
        for (BlockRef next : isForward ? cfg.successors(b) : cfg.predecessors(b)) {
          if (!cfg.isReachable(next) || (at[next.value] | out) == at[next.value]) continue;
          at[next.value] |= out;
          changed = true;
        }
      }
    }
  }

  bool isLoad(InstRef i) const {
    return module_.opcode(i) == spv::Op::OpLoad &&
           analyses_.get<Types>().storageOf(module_.idAt(i, 3)) == spv::StorageClass::Workgroup;
  }

  void look(FunctionRef f, std::vector<InstRef>& found) {
    flow(f, true, before_);
    flow(f, false, after_);
    std::vector<VariableSet> behind;
    for (BlockRef b : analyses_.get<Cfg>().reversePostOrder(f)) {
      const InstRange range = module_.blockInsts(b);
      behind.assign(range.size() + 1, after_[b.value]);
      for (uint32_t n = range.size(); n-- > 0;)
        behind[n] = step(InstRef(range.first.value + n), behind[n + 1]);
      VariableSet set = before_[b.value];
      for (uint32_t n = 0; n < range.size(); ++n) {
        const InstRef i(range.first.value + n);
        if (isLoad(i)) {
          const VariableSet bit = bitOf(module_.idAt(i, 3));
          if (((set | behind[n]) & bit) == 0 && (everWritten_ & bit) != 0) found.push_back(i);
        }
        set = step(i, set);
      }
    }
  }

  Analyses& analyses_;
  const Module& module_;
  std::unordered_map<Id, VariableSet> bits_; ///< looked up only
  std::vector<VariableSet> writes_;          ///< by InstRef
  std::vector<VariableSet> before_, after_;  ///< by BlockRef: see flow()
  VariableSet everWritten_ = 0, calleeWrites_ = 0;
  std::vector<FunctionRef> isEntry_;
};

} // namespace

SharedWrites::SharedWrites(Analyses& analyses) : loads_(Finder(analyses).run()) {}

bool SharedWrites::isUnwrittenAround(InstRef load) const {
  return std::binary_search(loads_.begin(), loads_.end(), load);
}

} // namespace lanewise
