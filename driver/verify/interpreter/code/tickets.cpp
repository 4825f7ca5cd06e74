#include "verify/interpreter/code/tickets.h"

#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/dominance.h"
#include "analysis/module/def_use.h"

#include <unordered_map>
#include <unordered_set>

namespace lanewise::driver::interpreter {

/// Follows a value through the module: by operands, variables, calls, and the branches that it
/// decides.
class Tickets::Consequences {
public:
  explicit Consequences(Analyses& analyses)
      : module_(analyses.module()), cfg_(analyses.get<Cfg>()),
        dominance_(analyses.get<Dominance>()), defUse_(analyses.get<DefUse>()) {
    for (InstRef i : module_.insts())
      if (module_.opcode(i) == spv::Op::OpLoad)
        loads_[rootOf(module_.idAt(i, 3))].push_back(module_.resultId(i));
  }

  /// By BlockRef: whether a branch that depends on `value` decides that an invocation comes there.
  std::vector<bool> blocksDecidedBy(Id value) {
    seen_.clear();
    isDecided_.assign(module_.blockCount() + 1, false);
    follow(value);
    while (!work_.empty() || !blocks_.empty()) {
      if (!work_.empty()) {
        const Id id = work_.back();
        work_.pop_back();
        for (const Use& use : defUse_.uses(id)) followUse(use);
      } else {
        const BlockRef block = blocks_.back();
        blocks_.pop_back();
        for (InstRef i : module_.blockInsts(block)) followDecided(i);
      }
    }
    return std::move(isDecided_);
  }

private:
  void follow(Id id) {
    if (id && seen_.insert(id).second) work_.push_back(id);
  }

  /// The variable behind access chains; null where it is another pointer.
  Id rootOf(Id pointer) const {
    for (;;) {
      const InstRef def = module_.def(pointer);
      if (!def) return {};
      switch (module_.opcode(def)) {
      case spv::Op::OpVariable:
        return pointer;
      case spv::Op::OpAccessChain:
      case spv::Op::OpInBoundsAccessChain:
      case spv::Op::OpCopyObject:
        pointer = module_.idAt(def, 3);
        break;
      default:
        return {};
      }
    }
  }

  void followUse(const Use& use) {
    const InstRef user = use.user;
    const BlockRef block = module_.blockOf(user);
    if (!block) return;
    switch (module_.opcode(user)) {
    case spv::Op::OpStore:
      if (use.word == 2) followStore(user);
      return;
    case spv::Op::OpReturnValue:
      followReturn(user);
      return;
    case spv::Op::OpFunctionCall:
      if (use.word >= 4) followArgument(user, use.word - 4);
      return;
    default:
      break;
    }
    if (module_.terminator(block) == user) return followBranch(block);
    follow(module_.resultId(user));
  }

  void followStore(InstRef store) {
    const auto loads = loads_.find(rootOf(module_.idAt(store, 1)));
    if (loads == loads_.end() || !loads->first) return;
    for (Id load : loads->second) follow(load);
  }

  void followReturn(InstRef end) {
    const Id function = module_.functionId(module_.functionOf(module_.blockOf(end)));
    for (const Use& use : defUse_.uses(function))
      if (module_.opcode(use.user) == spv::Op::OpFunctionCall && use.word == 3)
        follow(module_.resultId(use.user));
  }

  void followArgument(InstRef call, uint32_t index) {
    const FunctionRef callee = module_.functionOfId(module_.idAt(call, 3));
    if (!callee) return;
    for (InstRef i : module_.functionInsts(callee)) {
      if (module_.opcode(i) == spv::Op::OpLabel) return;
      if (module_.opcode(i) == spv::Op::OpFunctionParameter && index-- == 0)
        return follow(module_.resultId(i));
    }
  }

  /// What lies between the branch and where its ways meet again.
  void followBranch(BlockRef branch) {
    if (cfg_.successors(branch).size() < 2) return;
    const BlockRef meeting = dominance_.ipdom(branch);
    std::vector<BlockRef> next{branch};
    std::unordered_set<BlockRef> seen{meeting};
    while (!next.empty()) {
      const BlockRef block = next.back();
      next.pop_back();
      for (BlockRef to : cfg_.successors(block)) {
        if (!seen.insert(to).second) continue;
        decide(to);
        next.push_back(to);
      }
    }
    if (!meeting) return;
    for (InstRef i : module_.blockInsts(meeting))
      if (module_.opcode(i) == spv::Op::OpPhi) follow(module_.resultId(i));
  }

  void decide(BlockRef block) {
    if (isDecided_[block.value]) return;
    isDecided_[block.value] = true;
    blocks_.push_back(block);
  }

  /// What an instruction does that runs by that decision.
  void followDecided(InstRef i) {
    switch (module_.opcode(i)) {
    case spv::Op::OpStore:
      return followStore(i);
    case spv::Op::OpReturnValue:
      return followReturn(i);
    case spv::Op::OpFunctionCall:
      if (const FunctionRef callee = module_.functionOfId(module_.idAt(i, 3)))
        for (BlockRef b : cfg_.reversePostOrder(callee)) decide(b);
      return;
    default:
      return;
    }
  }

  const Module& module_;
  const Cfg& cfg_;
  const Dominance& dominance_;
  const DefUse& defUse_;
  std::unordered_map<Id, std::vector<Id>> loads_; ///< by variable; looked up only
  std::unordered_set<Id> seen_;                   ///< looked up only
  std::vector<bool> isDecided_;
  std::vector<Id> work_;
  std::vector<BlockRef> blocks_;
};

Tickets::Tickets(Analyses& analyses)
    : module_(analyses.module()), consequences_(std::make_unique<Consequences>(analyses)) {}
Tickets::~Tickets() = default;

bool Tickets::decides(InstRef atomic, BlockRef block) {
  const Id result = module_.resultId(atomic);
  if (!result) return false;
  const std::lock_guard lock(mutex_);
  auto [known, isNew] = decided_.try_emplace(atomic);
  if (isNew) known->second = consequences_->blocksDecidedBy(result);
  return known->second[block.value];
}

} // namespace lanewise::driver::interpreter
