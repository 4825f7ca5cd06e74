#include "transpile/loop_exits.h"

#include "ir/declarations_by_type.h"

#include <algorithm>
#include <vector>

namespace lanewise::driver {

namespace {

class ExitVariables {
public:
  ExitVariables(const Module& module, Rewriter& rewriter) : module_(module), rewriter_(rewriter) {}

  void run() {
    for (uint32_t b = 1; b <= module_.blockCount(); ++b)
      if (InstRef merge = module_.mergeInst(BlockRef(b));
          merge && module_.opcode(merge) == spv::Op::OpLoopMerge)
        store(module_.blockOfLabel(module_.idAt(merge, 1)));
  }

private:
  void store(BlockRef exit) {
    std::vector<InstRef> phis;
    for (InstRef i : module_.blockInsts(exit))
      if (module_.opcode(i) == spv::Op::OpPhi) phis.push_back(i);
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
    const Id variable = rewriter_.newId();
    const BlockRef entry = module_.firstBlock(module_.functionOf(exit));
    rewriter_.insertAfter(module_.blockInsts(entry).first,
                          Inst(spv::Op::OpVariable)
                              .id(pointers_.functionPointer(rewriter_, module_.resultType(phi)))
                              .id(variable)
                              .word(uint32_t(spv::StorageClass::Function)));
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
  DeclarationsByType pointers_;
};

} // namespace

void storeLoopExits(const Module& module, Rewriter& rewriter) {
  ExitVariables(module, rewriter).run();
}

} // namespace lanewise::driver
