// Where instructions stand in the module and in their function (SPIR-V 2.4).

#include "ir/newer_enumerants.h"
#include "text/format_text.h"
#include "validity/module_rules.h"

namespace lanewise::validity {

namespace {

using spv::Op;

enum class Section : uint8_t {
  Any, ///< may stand anywhere among the globals
  Capabilities,
  Extensions,
  Imports,
  MemoryModel,
  SamplerMode,
  EntryPoints,
  ExecutionModes,
  Sources,
  Names,
  Processes,
  Annotations,
  Declarations
};

Section sectionOf(const OpcodeFacts& f) {
  switch (uint32_t(f.opcode)) {
  case uint32_t(Op::OpCapability):
  case uint32_t(newer::Op::OpConditionalCapabilityINTEL):
    return Section::Capabilities;
  case uint32_t(Op::OpExtension):
  case uint32_t(newer::Op::OpConditionalExtensionINTEL):
    return Section::Extensions;
  case uint32_t(Op::OpExtInstImport):
    return Section::Imports;
  case uint32_t(Op::OpMemoryModel):
    return Section::MemoryModel;
  case uint32_t(Op::OpEntryPoint):
    return Section::EntryPoints;
  case uint32_t(Op::OpExecutionMode):
  case uint32_t(Op::OpExecutionModeId):
    return Section::ExecutionModes;
  case uint32_t(Op::OpString):
  case uint32_t(Op::OpSource):
  case uint32_t(Op::OpSourceExtension):
  case uint32_t(Op::OpSourceContinued):
    return Section::Sources;
  case uint32_t(Op::OpName):
  case uint32_t(Op::OpMemberName):
    return Section::Names;
  case uint32_t(Op::OpModuleProcessed):
    return Section::Processes;
  default:
    break;
  }
  if (f.opClass == OpClass::Annotation) return Section::Annotations;
  const bool declares = f.opClass == OpClass::Type || f.opClass == OpClass::Constant ||
                        f.opClass == OpClass::Variable;
  return declares ? Section::Declarations : Section::Any;
}

/// Extended instructions that compute something stand in blocks, and so do atomics of extensions.
bool mayStandOutside(const Subject& s, InstRef i) {
  if (!isExtInst(s.module.opcode(i))) return !isAtomic(s.module.facts(i));
  const ExtInstSet set = s.module.extInstSet(s.module.idAt(i, 3));
  return set == ExtInstSet::Unknown || isNonSemanticSet(set);
}

/// A loop's merge goes with a branch, a selection's with a conditional branch or a switch.
bool checkMerge(Subject& s, InstRef merge, InstRef terminator) {
  const Op op = s.module.opcode(terminator);
  const bool fits = s.module.opcode(merge) == Op::OpLoopMerge
                        ? op == Op::OpBranch || op == Op::OpBranchConditional
                        : op == Op::OpBranchConditional || op == Op::OpSwitch;
  if (!fits) return s.fail(merge, formatText("stands before {}", s.module.facts(terminator).name));
  // Nothing may come in between.
  return merge.value + 1 == terminator.value ||
         s.fail(merge, "is not directly before the terminator of its block");
}

} // namespace

bool LayoutRules::checkGlobal(InstRef i, const OpcodeFacts& f) {
  const Section section = sectionOf(f);
  if (uint8_t(section) < section_ && section != Section::Any)
    return s_.fail(i, formatText("stands behind {}, which belongs after it",
                                 s_.module.facts(sectionAt_).name));
  if (section != Section::Any) section_ = uint8_t(section), sectionAt_ = i;
  if (section == Section::MemoryModel) {
    if (memoryModel_) return s_.fail(i, "is a second memory model");
    memoryModel_ = i;
  }
  return f.opClass != OpClass::Value || s_.has(newer::Capability::GraphARM) ||
         mayStandOutside(s_, i) || s_.fail(i, "is outside a block");
}

bool LayoutRules::checkGlobalsEnd() {
  if (memoryModel_ || s_.module.hasUnknown()) return true;
  s_.fault = Error{"the module has no OpMemoryModel", Module::kHeaderWords, 0, {}};
  return false;
}

bool LayoutRules::checkInFunction(InstRef i, const OpcodeFacts& f, BlockRef block) {
  const Module& m = s_.module;
  if (!block)
    return f.opClass != OpClass::Value || mayStandOutside(s_, i) ||
           s_.fail(i, "is outside a block");
  if (block != block_) { // only variables (in the entry block) or phis so far
    block_ = block;
    isEntry_ = block == m.firstBlock(m.functionOf(block));
    isHead_ = true;
  }
  if (f.opcode == Op::OpPhi) {
    if (isEntry_) return s_.fail(i, "is in the first block of its function");
    return isHead_ || s_.fail(i, "comes after an instruction that is no OpPhi");
  }
  if (f.opClass == OpClass::Variable) {
    if (!isEntry_) return s_.fail(i, "is not in the first block of its function");
    return isHead_ || s_.fail(i, "comes after an instruction that is no OpVariable");
  }
  if (f.opClass == OpClass::Merge) return checkMerge(s_, i, m.terminator(block));
  const bool isTransparent = f.opClass == OpClass::Label || f.opClass == OpClass::Line ||
                             f.opcode == Op::OpUndef ||
                             (isExtInst(f.opcode) && mayStandOutside(s_, i));
  isHead_ &= isTransparent;
  return true;
}

/// Declarations come before definitions.
bool LayoutRules::checkFunctionOrder() {
  const Module& m = s_.module;
  bool defined = false;
  for (uint32_t f = 1; f <= m.functionCount(); ++f) {
    const bool isDefinition = m.blockCount(FunctionRef(f)) != 0;
    if (!isDefinition && defined)
      return s_.fail(m.functionInsts(FunctionRef(f)).first,
                     "is a declaration behind the definition of a function");
    defined |= isDefinition;
  }
  return true;
}

} // namespace lanewise::validity
