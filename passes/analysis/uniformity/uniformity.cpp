#include "analysis/uniformity/uniformity.h"

#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/dominance.h"
#include "analysis/control_flow/loops.h"
#include "analysis/module/buffer_variables.h"
#include "analysis/module/decorations.h"
#include "analysis/module/def_use.h"
#include "analysis/module/indirect_calls.h"
#include "analysis/module/types.h"
#include "analysis/uniformity/shared_writes.h"
#include "analysis/uniformity/single_stores.h"
#include "ir/newer_enumerants.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <utility>

namespace lanewise {
namespace {

/// Blocks looked at for all divergent branches together, as a multiple of the module's blocks. A
/// module that needs more (thousands of early returns) has its remaining phis taken as varying.
constexpr uint64_t kStepsPerBlock = 64;

/// Undefined for some operands, but a function of its operands where it is defined.
bool isPureOfOperands(const Module& module, InstRef i) {
  if (module.hasUnknown() && module.isUnknown(i)) return false;
  const OpcodeFacts& facts = module.facts(i);
  if (module.opcode(i) == spv::Op::OpExtInst) {
    auto set = module.extInstSet(module.idAt(i, 3));
    return set == ExtInstSet::GlslStd450 && extInstFacts(set, module.word(i, 4)).speculatable;
  }
  return isFunctionOfOperands(facts);
}

} // namespace

bool Uniformity::isUniformBuiltIn(const Module& module, spv::BuiltIn builtIn, UniformScope scope) {
  switch (builtIn) {
  case spv::BuiltIn::WorkgroupId:
    return scope != UniformScope::Dispatch;
  case spv::BuiltIn::SubgroupId:
    return scope == UniformScope::Subgroup;
  case spv::BuiltIn::SubgroupSize:
    return scope == UniformScope::Subgroup || hasOneSubgroupSize(module);
  case spv::BuiltIn::NumSubgroups:
    return scope != UniformScope::Dispatch || hasOneSubgroupSize(module);
  case spv::BuiltIn::NumWorkgroups:
  case spv::BuiltIn::WorkgroupSize:
  case spv::BuiltIn::DeviceIndex:
  case spv::BuiltIn::GlobalSize:
  case spv::BuiltIn::EnqueuedWorkgroupSize:
  case spv::BuiltIn::GlobalOffset:
  case spv::BuiltIn::WorkDim:
    return true;
  default:
    return false;
  }
}

InstRef onlyCallOf(Analyses& analyses, FunctionRef function) {
  const Module& module = analyses.module();
  InstRef call;
  for (const Use& use : analyses.get<DefUse>().uses(module.functionId(function))) {
    if (module.opcode(use.user) != spv::Op::OpFunctionCall || use.word != 3) {
      OpClass c = module.facts(use.user).opClass;
      if (c == OpClass::Debug || c == OpClass::Annotation) continue;
      if (module.opcode(use.user) == spv::Op::OpExtInst) continue; // debug information
      return {};
    }
    if (call) return {};
    call = use.user;
  }
  return call;
}

Parameter parameterOf(const Module& module, InstRef parameter) {
  // The last function that starts at or before the parameter.
  uint32_t low = 1, high = module.functionCount();
  while (low < high) {
    uint32_t middle = (low + high + 1) / 2;
    if (module.functionInsts(FunctionRef(middle)).first <= parameter)
      low = middle;
    else
      high = middle - 1;
  }
  Parameter result{FunctionRef(low), 0};
  for (InstRef i : InstRange{module.functionInsts(result.function).first, parameter})
    if (module.opcode(i) == spv::Op::OpFunctionParameter) ++result.index;
  return result;
}

namespace {

/// Follows a pointer to its variable, and calls `visitChain` for each access chain on the way, the
/// innermost first; null when it does not lead to one variable.
template <class VisitChain>
Id followPointer(Analyses& analyses, Id pointer, VisitChain&& visitChain) {
  const Module& module = analyses.module();
  // The bound keeps a module with a cycle of calls, which no shader may have, from running for
  // ever.
  for (uint32_t steps = 0; steps < 256; ++steps) {
    InstRef def = module.def(pointer);
    if (!def) return {};
    switch (module.opcode(def)) {
    case spv::Op::OpVariable:
      return pointer;
    case spv::Op::OpCopyObject:
      pointer = module.idAt(def, 3);
      break;
    case spv::Op::OpAccessChain:
    case spv::Op::OpInBoundsAccessChain:
      visitChain(def);
      pointer = module.idAt(def, 3);
      break;
    case spv::Op::OpFunctionParameter: {
      Parameter parameter = parameterOf(module, def);
      InstRef call = onlyCallOf(analyses, parameter.function);
      if (!call) return {};
      if (module.wordCount(call) <= 4 + parameter.index) return {};
      pointer = module.idAt(call, 4 + parameter.index);
      break;
    }
    default:
      return {};
    }
  }
  return {};
}

} // namespace

PointerOrigin originOf(Analyses& analyses, Id pointer) {
  const Module& module = analyses.module();
  PointerOrigin origin;
  origin.variable = followPointer(analyses, pointer, [&](InstRef chain) {
    const auto indices = module.inst(chain).subspan(4);
    const auto at = origin.indices.insert(origin.indices.begin(), indices.size(), Id());
    std::transform(indices.begin(), indices.end(), at, [](uint32_t word) { return Id(word); });
  });
  return origin.variable ? origin : PointerOrigin();
}

Id originVariableOf(Analyses& analyses, Id pointer) {
  return followPointer(analyses, pointer, [](InstRef) {});
}

class UniformityBuilder {
public:
  UniformityBuilder(Analyses& analyses, Uniformity& result)
      : analyses_(analyses), module_(analyses.module()), cfg_(analyses.get<Cfg>()),
        dominance_(analyses.get<Dominance>()), loops_(analyses.get<Loops>()),
        types_(analyses.get<Types>()), result_(result), scope_(result.scope_),
        singleStores_(analyses), sharedWrites_(analyses.get<SharedWrites>()),
        defUse_(analyses.get<DefUse>()), branchSeen_(module_.blockCount() + 1, false),
        seenAt_(module_.blockCount() + 1), labels_(module_.blockCount() + 1),
        budget_(kStepsPerBlock * (module_.blockCount() + 16)) {
    result_.varying_.assign(module_.idBound(), false);
    result_.divergentLoops_.assign(module_.blockCount() + 1, false);
    result_.divergentAt_.assign(module_.blockCount() + 1, BlockRef());
  }

  void run() {
    collectMemoryFacts();
    blockBudget_ = budget_;
    for (InstRef i : module_.insts())
      if (isVaryingAtSource(i)) mark(module_.resultId(i));
    for (uint32_t f = 1; f <= module_.functionCount(); ++f) {
      checkReducible(FunctionRef(f));
      if (analyses_.get<IndirectCalls>().mayRun(FunctionRef(f))) markCalledBack(FunctionRef(f));
    }
    while (!work_.empty()) {
      Id id = work_.back();
      work_.pop_back();
      for (const Use& use : defUse_.uses(id)) spread(use);
      auto waiting = loadsOfValue_.find(id);
      if (waiting != loadsOfValue_.end())
        for (Id load : waiting->second) mark(load);
    }
  }

private:
  void mark(Id id) {
    if (!id || result_.varying_[id.value]) return;
    result_.varying_[id.value] = true;
    work_.push_back(id);
  }

  /// Whether a read-only view of a buffer may show what another view wrote while a workgroup runs:
  /// only where invocations hand data to one another by atomics. Barriers keep one execution of a
  /// load on one side for all lanes.
  void collectMemoryFacts() {
    bool hasAtomics = module_.hasUnknown(), hasWritable = hasAtomics;
    const auto noteEffects = [&](InstRef i, const OpcodeFacts& facts) {
      const Effect effects = module_.effects(i);
      if (has(effects, Effect::Atomic) && facts.opClass == OpClass::Value) hasAtomics = true;
      // Nobody has written down what it does.
      if (effects == kEveryEffect && facts.opcode != spv::Op::OpFunctionCall)
        hasAtomics = hasWritable = true;
    };
    for (InstRef i : module_.globals()) {
      const OpcodeFacts& facts = module_.facts(i);
      noteEffects(i, facts);
      if (facts.opcode == spv::Op::OpTypePointer ||
          facts.opcode == newer::Op::OpTypeUntypedPointerKHR) {
        auto storage = spv::StorageClass(module_.word(i, 2));
        if (storage == spv::StorageClass::PhysicalStorageBuffer) hasWritable = true;
      }
      if (facts.opClass == OpClass::Variable && isStorageBuffer(analyses_, module_.resultId(i)) &&
          !isBufferDecorated(analyses_, module_.resultId(i), spv::Decoration::NonWritable, true))
        hasWritable = true;
    }
    for (InstRef i : InstRange{module_.globals().last, module_.insts().last}) {
      const OpcodeFacts& facts = module_.facts(i);
      // A storage texel buffer may lie over a storage buffer.
      if (facts.opcode == spv::Op::OpImageWrite || facts.opcode == spv::Op::OpImageTexelPointer)
        hasWritable = true;
      noteEffects(i, facts);
    }
    readOnlyViewsMayChange_ = hasAtomics && hasWritable;
  }

  /// A storage buffer that does not change under this view of it while a workgroup runs.
  bool isReadOnlyStorage(Id variable) const {
    return isBufferDecorated(analyses_, variable, spv::Decoration::NonWritable, true) &&
           !isBufferDecorated(analyses_, variable, spv::Decoration::Volatile, false) &&
           !isBufferDecorated(analyses_, variable, spv::Decoration::Coherent, false) &&
           (!readOnlyViewsMayChange_ ||
            isBufferDecorated(analyses_, variable, spv::Decoration::Restrict, true));
  }

  /// Whether loads through one pointer give all lanes the same.
  bool bufferKeepsUniformity(Id variable) {
    auto [at, isNew] = keptByBuffer_.try_emplace(variable, false);
    if (isNew)
      at->second = isStorageBuffer(analyses_, variable)
                       ? isReadOnlyStorage(variable)
                       : !isBufferDecorated(analyses_, variable, spv::Decoration::Volatile, false);
    return at->second;
  }

  /// True when a load gives a value that all lanes share, given that its pointer is uniform.
  bool loadKeepsUniformity(InstRef load) {
    bool isVolatile = module_.wordCount(load) > 4 &&
                      (module_.word(load, 4) & uint32_t(spv::MemoryAccessMask::Volatile)) != 0;
    if (isVolatile) return false;
    auto storage = types_.storageOf(module_.idAt(load, 3));
    if (storage == spv::StorageClass::PushConstant || storage == spv::StorageClass::UniformConstant)
      return true;
    if (!storage) return false;
    const Id variable = originVariableOf(analyses_, module_.idAt(load, 3));
    if (!variable) return false;
    switch (*storage) {
    case spv::StorageClass::Uniform:
    case spv::StorageClass::StorageBuffer:
      return bufferKeepsUniformity(variable);
    case spv::StorageClass::Input: {
      auto builtIn = analyses_.get<Decorations>().builtIn(module_, variable);
      return builtIn && Uniformity::isUniformBuiltIn(module_, *builtIn, scope_);
    }
    case spv::StorageClass::Function:
    case spv::StorageClass::Private: {
      Id value = singleStores_.valueAt(variable, load);
      if (!value) return false;
      loadsOfValue_[value].push_back(module_.resultId(load));
      return true;
    }
    case spv::StorageClass::Workgroup:
      // Each workgroup has its own.
      return scope_ != UniformScope::Dispatch && sharedWrites_.isUnwrittenAround(load);
    default:
      return false;
    }
  }

  /// True for an operation whose result all invocations of the subgroup that execute it together
  /// share, given that its operand words from `firstUniform` on are uniform.
  bool isSharedBySubgroup(InstRef i) const {
    if (scope_ != UniformScope::Subgroup) return false;
    // A cluster is less than a subgroup, and scans give each its own.
    if (isGroupReduction(module_.opcode(i)))
      return spv::GroupOperation(module_.word(i, 4)) == spv::GroupOperation::Reduce;
    switch (module_.opcode(i)) {
    case spv::Op::OpGroupNonUniformAll:
    case spv::Op::OpGroupNonUniformAny:
    case spv::Op::OpGroupNonUniformAllEqual:
    case spv::Op::OpGroupNonUniformBroadcast:
    case spv::Op::OpGroupNonUniformBroadcastFirst:
    case spv::Op::OpGroupNonUniformBallot:
    case spv::Op::OpSubgroupBallotKHR:
    case spv::Op::OpSubgroupFirstInvocationKHR:
    case spv::Op::OpSubgroupAllKHR:
    case spv::Op::OpSubgroupAnyKHR:
    case spv::Op::OpSubgroupAllEqualKHR:
      return true;
    default:
      return false;
    }
  }

  /// True when the result may vary whatever the operands are.
  bool isVaryingAtSource(InstRef i) {
    const OpcodeFacts& facts = module_.facts(i);
    if (!facts.hasResult) return false;
    const OpClass opClass = facts.opClass;
    spv::Op op = module_.opcode(i);
    if (opClass == OpClass::Unknown || op == spv::Op::OpUndef) return true;
    if (op == spv::Op::OpFunctionParameter)
      return !onlyCallOf(analyses_, parameterOf(module_, i).function);
    if (opClass != OpClass::Value) return false;
    BlockRef block = module_.blockOf(i);
    if (!block) return false; // debug information between globals
    if (!cfg_.isReachable(block)) return true;
    if (op == spv::Op::OpPhi) return false;
    if (op == spv::Op::OpLoad) return !loadKeepsUniformity(i);
    return !isPureOfOperands(module_, i) && !isSharedBySubgroup(i);
  }

  void spread(const Use& use) {
    InstRef user = use.user;
    switch (module_.facts(user).opClass) {
    case OpClass::Value:
      break;
    case OpClass::Terminator:
      if (use.word == 1 && cfg_.successors(module_.blockOf(user)).size() > 1)
        branchDiverges(module_.blockOf(user));
      return;
    case OpClass::Unknown:
      break;
    default:
      return;
    }
    if (module_.opcode(user) == spv::Op::OpFunctionCall) {
      passToParameter(user, use.word);
      return; // the call's result varies anyway
    }
    // What it gives to all is made of what differs.
    if (isSharedBySubgroup(user)) return;
    mark(module_.resultId(user));
  }

  void passToParameter(InstRef call, uint32_t word) {
    FunctionRef callee = module_.functionOfId(module_.idAt(call, 3));
    if (!callee || word < 4) return;
    uint32_t skip = word - 4;
    for (InstRef i : module_.functionInsts(callee)) {
      if (module_.opcode(i) == spv::Op::OpLabel) return;
      if (module_.opcode(i) == spv::Op::OpFunctionParameter && skip-- == 0) {
        mark(module_.resultId(i));
        return;
      }
    }
  }

  /// Marks the phis of a block at which lanes arrive from different sides.
  void markPhis(BlockRef block) {
    for (InstRef i : module_.blockInsts(block)) {
      if (module_.opcode(i) != spv::Op::OpPhi) continue;
      bool same = true; // one value from everywhere is that value
      for (uint32_t n = 5; n < module_.wordCount(i); n += 2)
        same = same && module_.word(i, n) == module_.word(i, 3);
      if (!same) mark(module_.resultId(i));
    }
  }

  /// As many times as the invocation has elements, say.
  void markCalledBack(FunctionRef function) {
    for (BlockRef b : cfg_.reversePostOrder(function)) markBlock(b, b);
  }

  /// In a function with an irreducible loop nothing is known of where lanes meet.
  void checkReducible(FunctionRef function) {
    for (BlockRef b : cfg_.reversePostOrder(function))
      for (BlockRef to : cfg_.successors(b))
        if (cfg_.rpoIndex(to) <= cfg_.rpoIndex(b) && !dominance_.dominates(to, b)) {
          giveUp(function);
          return;
        }
  }

  void giveUp(FunctionRef function) {
    for (BlockRef b : cfg_.reversePostOrder(function)) {
      markPhis(b);
      result_.divergentLoops_[b.value] = true;
      branchSeen_[b.value] = true;
      markBlock(b, b);
    }
  }

  /// Not all invocations come to `block`, because of the branch of `branch`.
  void markBlock(BlockRef block, BlockRef branch) {
    if (result_.divergentAt_[block.value]) return;
    result_.divergentAt_[block.value] = branch;
    for (InstRef i : module_.blockInsts(block)) {
      if (isSharedBySubgroup(i)) mark(module_.resultId(i)); // shared by those who come
      if (module_.opcode(i) != spv::Op::OpFunctionCall) continue;
      FunctionRef callee = module_.functionOfId(module_.idAt(i, 3));
      if (callee && module_.blockCount(callee) > 0)
        for (BlockRef b : cfg_.reversePostOrder(callee)) markBlock(b, branch);
    }
  }

  /// Marks the blocks that some of the invocations that part at `from` may leave out, or run more
  /// often: those up to where all meet again.
  void markBlocksBehind(BlockRef from, BlockRef reconvergence) {
    const uint32_t walk = ++lastWalk_; // `from` is not seen, unless a loop leads back to it
    std::vector<BlockRef>& pending = pendingBlocks_;
    pending.assign(1, from);
    while (!pending.empty()) {
      const BlockRef b = pending.back();
      pending.pop_back();
      for (BlockRef to : cfg_.successors(b)) {
        if (to == reconvergence || seenAt_[to.value] == walk) continue;
        seenAt_[to.value] = walk;
        if (blockBudget_ == 0) return giveUpBlocks();
        --blockBudget_;
        markBlock(to, from);
        pending.push_back(to);
      }
    }
  }

  void giveUpBlocks() {
    for (uint32_t b = 1; b <= module_.blockCount(); ++b) markBlock(BlockRef(b), BlockRef(b));
  }

  /// False when what all waves together may cost is used up.
  bool spend() {
    if (budget_ > 0) --budget_;
    return budget_ > 0;
  }

  struct Label {
    uint32_t side = 0; ///< block at which the side begins that reaches this one
    bool isJoin = false;
  };

  /// What one wave of labels from a divergent branch shows.
  struct Wave {
    std::vector<BlockRef> joins;
    std::vector<BlockRef> headersHit; ///< headers of loops round the branch, reached by a back edge
  };

  /// Lets each side of the branch at `from` flow forward under its own label until all meet at
  /// `reconvergence`, not round the loops that hold the branch. Lanes that go round such a loop may
  /// leave it later, at another exit than those that left at once. No label follows them: what
  /// decides that exit either never changes in the loop, so that it is taken in the first iteration
  /// or never, or comes from a phi of the loop's header, which varies then and spreads by itself.
  Wave flow(BlockRef from, BlockRef reconvergence) {
    Wave wave;
    const uint32_t walk = ++lastWalk_;
    std::vector<Pending>& pending = pendingSides_; // a heap
    pending.clear();
    auto reach = [&](BlockRef to, uint32_t side) {
      Label& label = labels_[to.value];
      if (seenAt_[to.value] != walk) {
        seenAt_[to.value] = walk;
        label = {side, false};
        pending.emplace_back(cfg_.rpoIndex(to), to.value);
        std::push_heap(pending.begin(), pending.end(), std::greater<>());
      } else if (label.side != side && !label.isJoin) {
        label = {to.value, true};
        wave.joins.push_back(to);
      }
    };
    auto step = [&](BlockRef b, BlockRef to, uint32_t side) {
      bool isBackEdge = cfg_.rpoIndex(to) <= cfg_.rpoIndex(b);
      if (!isBackEdge)
        reach(to, side);
      else if (dominance_.dominates(to, from))
        wave.headersHit.push_back(to);
    };
    for (BlockRef to : cfg_.successors(from)) step(from, to, to.value);
    while (!pending.empty()) {
      std::pop_heap(pending.begin(), pending.end(), std::greater<>());
      const BlockRef b(pending.back().second);
      pending.pop_back();
      if (!spend()) return wave;
      if (b == reconvergence) continue;
      const uint32_t side = labels_[b.value].side;
      for (BlockRef to : cfg_.successors(b)) step(b, to, side);
    }
    return wave;
  }

  void branchDiverges(BlockRef from) {
    if (branchSeen_[from.value] || !cfg_.isReachable(from)) return;
    branchSeen_[from.value] = true;
    BlockRef reconvergence = dominance_.ipdom(from);
    markBlocksBehind(from, reconvergence);
    const Wave wave = flow(from, reconvergence);
    if (budget_ == 0) {
      for (uint32_t f = 1; f <= module_.functionCount(); ++f) giveUp(FunctionRef(f));
      return;
    }
    for (BlockRef join : wave.joins) markPhis(join);
    for (const Loop* loop = loops_.innermost(from); loop; loop = loops_.parent(*loop)) {
      const bool isRound = std::find(wave.headersHit.begin(), wave.headersHit.end(),
                                     loop->header) != wave.headersHit.end();
      if (!isRound && reconvergence && loops_.contains(*loop, reconvergence)) continue;
      if (result_.divergentLoops_[loop->header.value]) continue;
      result_.divergentLoops_[loop->header.value] = true;
      markPhis(loop->header);
    }
  }

  Analyses& analyses_;
  const Module& module_;
  const Cfg& cfg_;
  const Dominance& dominance_;
  const Loops& loops_;
  const Types& types_;
  Uniformity& result_;
  const UniformScope scope_;
  SingleStores singleStores_;
  const SharedWrites& sharedWrites_;
  const DefUse& defUse_;
  bool readOnlyViewsMayChange_ = false;
  std::unordered_map<Id, bool> keptByBuffer_; ///< looked up only
  std::unordered_map<Id, std::vector<Id>> loadsOfValue_;
  std::vector<bool> branchSeen_;
  // Of one walk over blocks at a time.
  using Pending = std::pair<uint32_t, uint32_t>; ///< (position, block): smallest first
  uint32_t lastWalk_ = 0;
  std::vector<uint32_t> seenAt_; ///< by BlockRef: the last walk that came by
  std::vector<Label> labels_;    ///< by BlockRef
  std::vector<BlockRef> pendingBlocks_;
  std::vector<Pending> pendingSides_;
  uint64_t budget_, blockBudget_ = 0;
  std::vector<Id> work_;
};

Uniformity::Uniformity(Analyses& analyses, UniformScope scope) : scope_(scope) {
  UniformityBuilder(analyses, *this).run();
}

namespace {

template <class Handle>
UniformScope widestScope(Analyses& analyses, Handle what) {
  for (UniformScope scope :
       {UniformScope::Dispatch, UniformScope::Workgroup, UniformScope::Subgroup})
    if (uniformityOf(analyses, scope).isUniform(what)) return scope;
  return UniformScope::Divergent;
}

} // namespace

UniformScope uniformScopeOf(Analyses& analyses, Id value) {
  return widestScope(analyses, value);
}

UniformScope uniformScopeOf(Analyses& analyses, BlockRef block) {
  return widestScope(analyses, block);
}

namespace {

/// As Analyses keeps them.
template <UniformScope kScope>
struct UniformityOver : Uniformity {
  static constexpr std::string_view kAnalysisName = "Uniformity";
  explicit UniformityOver(Analyses& analyses) : Uniformity(analyses, kScope) {}
};

} // namespace

const Uniformity& uniformityOf(Analyses& analyses, UniformScope scope) {
  switch (scope) {
  case UniformScope::Dispatch:
    return analyses.get<UniformityOver<UniformScope::Dispatch>>();
  case UniformScope::Subgroup:
    return analyses.get<UniformityOver<UniformScope::Subgroup>>();
  default:
    return analyses.get<UniformityOver<UniformScope::Workgroup>>();
  }
}

} // namespace lanewise
