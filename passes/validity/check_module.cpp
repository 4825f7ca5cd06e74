#include "validity/check_module.h"

#include "ir/newer_enumerants.h"
#include "validity/flow.h"
#include "validity/instructions/operand_rules.h"
#include "validity/instructions/rules.h"
#include "validity/module_rules.h"

namespace lanewise {

namespace {

using namespace validity;

/// The rule about an instruction in a block. One opcode has at most one.
bool checkInstruction(Subject& s, InstRef i) {
  using spv::Op;
  const OpcodeFacts& f = s.module.facts(i);
  const Op op = f.opcode;
  switch (uint32_t(op)) {
  case uint32_t(Op::OpLoad):
  case uint32_t(Op::OpStore):
  case uint32_t(Op::OpVariable):
  case uint32_t(newer::Op::OpUntypedVariableKHR):
  case uint32_t(Op::OpCopyMemory):
  case uint32_t(Op::OpCopyMemorySized):
    return checkMemory(s, i);
  case uint32_t(Op::OpFunctionCall):
    return checkCall(s, i);
  case uint32_t(Op::OpExtInst):
    return checkExtended(s, i);
  case uint32_t(Op::OpUndef):
    return checkConstant(s, i);
  case uint32_t(Op::OpControlBarrier):
  case uint32_t(Op::OpMemoryBarrier):
    return checkBarrier(s, i);
  default:
    break;
  }
  constexpr uint32_t kOldestGroup = uint32_t(Op::OpGroupNonUniformElect);
  if (op >= Op::OpSampledImage && op <= Op::OpImageQuerySamples) return checkImage(s, i);
  if (op >= Op::OpImageSparseSampleImplicitLod && op <= Op::OpImageSparseRead)
    return checkImage(s, i);
  if (op == Op::OpImageTexelPointer) return checkImage(s, i);
  if (isAtomic(f)) return checkAtomic(s, i);
  if (op >= Op::OpVectorExtractDynamic && op <= Op::OpCopyObject) {
    if (!checkComposite(s, i, op, 3)) return false;
  } else if (op == Op::OpCopyLogical) {
    return checkComposite(s, i, op, 3);
  }
  if (uint32_t(op) < 256 && op != Op::OpAccessChain && op != Op::OpInBoundsAccessChain &&
      !isPtrAccessChain(op) && op != Op::OpArrayLength)
    return checkOperation(s, i, op, 3);
  if (uint32_t(op) >= kOldestGroup && uint32_t(op) <= uint32_t(Op::OpGroupNonUniformQuadSwap))
    return checkGroup(s, i);
  if (op == newer::Op::OpGroupNonUniformRotateKHR) return checkGroup(s, i);
  return checkAccessChain(s, i) && checkNewer(s, i);
}

bool checkGlobalRule(Subject& s, InstRef i, const OpcodeFacts& f) {
  switch (f.opClass) {
  case OpClass::Type:
    return checkTypeDeclaration(s, i);
  case OpClass::Constant:
    return checkConstant(s, i);
  case OpClass::Variable:
    return checkMemory(s, i);
  default:
    return true;
  }
}

bool checkBodyRule(Subject& s, InstRef i, const OpcodeFacts& f, Id returnType) {
  switch (f.opClass) {
  case OpClass::Terminator:
    return checkReturn(s, i, returnType);
  case OpClass::Value:
  case OpClass::Variable:
  case OpClass::Constant:
    return checkInstruction(s, i);
  default:
    return true;
  }
}

/// Every instruction is held to what is asked of its place, its opcode, its operands and their
/// types, in this order: each rule relies on those before it.
class InstructionRules {
public:
  InstructionRules(Subject& s, const Flow& flow) : s_(s), layout_(s), declared_(s), ids_(s, flow) {}

  bool checkGlobals() {
    const Module& m = s_.module;
    for (InstRef i : m.globals()) {
      const OpcodeFacts& f = m.facts(i);
      if (!layout_.checkGlobal(i, f) || !ids_.check(i, f)) return false;
      if (m.hasUnknown() && m.isUnknown(i)) continue;
      if (!declared_.check(i, f) || !checkGlobalRule(s_, i, f)) return false;
    }
    return layout_.checkGlobalsEnd() && layout_.checkFunctionOrder();
  }

  bool checkBody(FunctionRef function) {
    const Module& m = s_.module;
    const Id returnType = m.idAt(m.functionInsts(function).first, 1);
    for (InstRef i : m.functionInsts(function)) {
      const OpcodeFacts& f = m.facts(i);
      if (!layout_.checkInFunction(i, f, m.blockOf(i)) || !ids_.check(i, f)) return false;
      if (m.hasUnknown() && m.isUnknown(i)) continue;
      if (!declared_.check(i, f) || !checkBodyRule(s_, i, f, returnType)) return false;
      if (f.opcode == spv::Op::OpFunction && !checkFunction(s_, function)) return false;
    }
    return true;
  }

  const Uses& uses() const { return ids_.uses(); }

private:
  Subject& s_;
  LayoutRules layout_;
  DeclaredRules declared_;
  IdRules ids_;
};

bool checkAll(Subject& s) {
  if (!checkBranches(s)) return false;
  const Flow flow(s.module);
  InstructionRules instructions(s, flow);
  if (!instructions.checkGlobals() || !checkDuplicates(s)) return false;
  for (uint32_t f = 1; f <= s.module.functionCount(); ++f)
    if (!instructions.checkBody(FunctionRef(f))) return false;
  return checkPhis(s, flow) && checkBlockOrder(s, flow) && checkStructure(s, flow) &&
         checkDecorations(s) && checkEntryPoints(s, instructions.uses());
}

} // namespace

Status checkModule(const Module& module) {
  Subject subject(module);
  if (!checkAll(subject) && subject.fault) return std::move(*subject.fault);
  return ok();
}

} // namespace lanewise
