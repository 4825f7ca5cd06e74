#include "transpile/value_variables.h"

#include "ir/declarations_by_type.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <unordered_map>
#include <vector>

namespace lanewise::driver {

namespace {

/// Calls `visit(block, merge)` for the header of each loop.
template <class Visit>
void forEachLoop(const Module& module, Visit&& visit) {
  for (uint32_t b = 1; b <= module.blockCount(); ++b)
    if (InstRef merge = module.mergeInst(BlockRef(b));
        merge && module.opcode(merge) == spv::Op::OpLoopMerge)
      visit(BlockRef(b), merge);
}

std::vector<InstRef> phisOf(const Module& module, BlockRef block) {
  std::vector<InstRef> phis;
  for (InstRef i : module.blockInsts(block))
    if (module.opcode(i) == spv::Op::OpPhi) phis.push_back(i);
  return phis;
}

/// Declares variables of functions.
class Variables {
public:
  Variables(const Module& module, Rewriter& rewriter) : module_(module), rewriter_(rewriter) {}

  Id declare(FunctionRef function, Id type) {
    const Id variable = rewriter_.newId();
    rewriter_.insertAfter(module_.blockInsts(module_.firstBlock(function)).first,
                          Inst(spv::Op::OpVariable)
                              .id(pointerTo(type))
                              .id(variable)
                              .word(uint32_t(spv::StorageClass::Function)));
    return variable;
  }
  Id pointerTo(Id type) { return pointers_.functionPointer(rewriter_, type); }

private:
  const Module& module_;
  Rewriter& rewriter_;
  DeclarationsByType pointers_;
};

class ExitVariables {
public:
  ExitVariables(const Module& module, Rewriter& rewriter)
      : module_(module), rewriter_(rewriter), variables_(module, rewriter) {}

  void run() {
    forEachLoop(module_, [&](BlockRef, InstRef merge) {
      store(module_.blockOfLabel(module_.idAt(merge, 1)));
    });
  }

private:
  void store(BlockRef exit) {
    const std::vector<InstRef> phis = phisOf(module_, exit);
    // All phis are read before the first is written, so all or none.
    if (phis.empty() || !isLeftConditionally(phis.front()) ||
        std::any_of(phis.begin(), phis.end(), [&](InstRef phi) {
          return module_.opcodeOf(module_.resultType(phi)) == spv::Op::OpTypePointer;
        }))
      return;
    for (InstRef phi : phis) store(exit, phi);
  }

  bool isLeftConditionally(InstRef phi) const {
    for (uint32_t n = 4; n < module_.wordCount(phi); n += 2)
      if (BlockRef from = module_.blockOfLabel(module_.idAt(phi, n));
          from && module_.opcode(module_.terminator(from)) == spv::Op::OpBranchConditional)
        return true;
    return false;
  }

  void store(BlockRef exit, InstRef phi) {
    const Id variable = variables_.declare(module_.functionOf(exit), module_.resultType(phi));
    for (uint32_t n = 3; n + 1 < module_.wordCount(phi); n += 2) {
      const BlockRef from = module_.blockOfLabel(module_.idAt(phi, n + 1));
      const InstRef merge = module_.mergeInst(from), end = module_.terminator(from);
      rewriter_.insertBefore(merge ? merge : end,
                             Inst(spv::Op::OpStore).id(variable).id(module_.idAt(phi, n)));
    }
    rewriter_.replace(
        phi,
        Inst(spv::Op::OpLoad).id(module_.resultType(phi)).id(module_.resultId(phi)).id(variable));
  }

  const Module& module_;
  Rewriter& rewriter_;
  Variables variables_;
};

class PhiLoads {
public:
  PhiLoads(const Module& module, Rewriter& rewriter)
      : module_(module), rewriter_(rewriter), variables_(module, rewriter) {}

  void run() {
    forEachLoop(module_, [&](BlockRef header, InstRef) { visit(header); });
  }

private:
  /// Only what goes round a loop can depend on a phi of the block that it leads to.
  void visit(BlockRef header) {
    const std::vector<InstRef> phis = phisOf(module_, header);
    if (phis.size() < 2) return;
    first_.clear();
    for (size_t n = phis.size(); n-- > 0;) first_[module_.resultId(phis[n])] = n;
    BlockRef last = header; // what comes round is computed in front of its end
    for (uint32_t n = 4; n < module_.wordCount(phis.front()); n += 2)
      last.value = std::max(last.value, module_.blockOfLabel(module_.idAt(phis.front(), n)).value);
    for (BlockRef b = header; b.value <= last.value; ++b.value)
      for (InstRef i : module_.blockInsts(b)) note(i);
    for (size_t n = 1; n < phis.size(); ++n)
      for (uint32_t word = 3; word < module_.wordCount(phis[n]); word += 2)
        storeReads(module_.idAt(phis[n], word), n);
  }

  /// Of which phi the result is computed, the first of several.
  void note(InstRef i) {
    if (module_.opcode(i) == spv::Op::OpPhi) return;
    size_t first = SIZE_MAX;
    module_.forEachIdOperand(i, [&](uint32_t, Id operand) {
      if (const auto found = first_.find(operand); found != first_.end())
        first = std::min(first, found->second);
    });
    if (first != SIZE_MAX && module_.resultId(i)) first_[module_.resultId(i)] = first;
  }

  /// What is read by a phi in front of the one with this number, and makes the value.
  void storeReads(Id value, size_t number) {
    std::vector<Id> work{value};
    std::set<Id> seen;
    while (!work.empty()) {
      const Id id = work.back();
      work.pop_back();
      const auto found = first_.find(id);
      if (found == first_.end() || found->second >= number || !seen.insert(id).second) continue;
      const InstRef def = module_.def(id);
      const spv::Op op = module_.opcode(def);
      if (op == spv::Op::OpPhi) continue;
      if (op == spv::Op::OpLoad || op == spv::Op::OpImageRead) store(def);
      module_.forEachIdOperand(def, [&](uint32_t, Id operand) { work.push_back(operand); });
    }
  }

  void store(InstRef read) {
    const Id type = module_.resultType(read), result = module_.resultId(read);
    switch (module_.opcodeOf(type)) {
    case spv::Op::OpTypePointer:
    case spv::Op::OpTypeImage:
    case spv::Op::OpTypeSampler:
    case spv::Op::OpTypeSampledImage:
      return; // no variable holds one
    default:
      break;
    }
    if (!stored_.insert(read).second) return;
    const Id variable = variables_.declare(module_.functionOf(module_.blockOf(read)), type);
    const Id value = rewriter_.newId();
    rewriter_.setId(read, 2, value);
    rewriter_.insertAfter(read, Inst(spv::Op::OpStore).id(variable).id(value));
    rewriter_.insertAfter(read, Inst(spv::Op::OpLoad).id(type).id(result).id(variable));
  }

  const Module& module_;
  Rewriter& rewriter_;
  Variables variables_;
  std::unordered_map<Id, size_t> first_; ///< by what depends on a phi of the loop: its number
  std::set<InstRef> stored_;
};

class CompositeVariables {
public:
  CompositeVariables(const Module& module, Rewriter& rewriter)
      : module_(module), rewriter_(rewriter), variables_(module, rewriter) {}

  void run() {
    std::set<FunctionRef> withLoops;
    forEachLoop(module_,
                [&](BlockRef header, InstRef) { withLoops.insert(module_.functionOf(header)); });
    for (InstRef i : module_.insts())
      if (module_.opcode(i) == spv::Op::OpCompositeConstruct && hasMembers(module_.resultType(i)) &&
          withLoops.contains(module_.functionOf(module_.blockOf(i))))
        store(i);
  }

private:
  bool hasMembers(Id type) const {
    const spv::Op op = module_.opcodeOf(type);
    return op == spv::Op::OpTypeStruct || op == spv::Op::OpTypeArray;
  }

  void store(InstRef construct) {
    const Id type = module_.resultType(construct);
    const Id variable = variables_.declare(module_.functionOf(module_.blockOf(construct)), type);
    for (uint32_t n = 3; n < module_.wordCount(construct); ++n) {
      const Id member = module_.idAt(construct, n), place = rewriter_.newId();
      rewriter_.insertBefore(construct, Inst(spv::Op::OpAccessChain)
                                            .id(variables_.pointerTo(module_.typeOf(member)))
                                            .id(place)
                                            .id(variable)
                                            .id(rewriter_.uint32Constant(n - 3)));
      rewriter_.insertBefore(construct, Inst(spv::Op::OpStore).id(place).id(member));
    }
    rewriter_.replace(construct,
                      Inst(spv::Op::OpLoad).id(type).id(module_.resultId(construct)).id(variable));
  }

  const Module& module_;
  Rewriter& rewriter_;
  Variables variables_;
};

} // namespace

void storeLoopExits(const Module& module, Rewriter& rewriter) {
  ExitVariables(module, rewriter).run();
}

void storePhiLoads(const Module& module, Rewriter& rewriter) {
  PhiLoads(module, rewriter).run();
}

void storeComposites(const Module& module, Rewriter& rewriter) {
  CompositeVariables(module, rewriter).run();
}

} // namespace lanewise::driver
