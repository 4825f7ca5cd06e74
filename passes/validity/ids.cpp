// What each operand id names, and whether that stands before it (SPIR-V 2.8, 2.16.1).

#include "ir/newer_enumerants.h"
#include "text/format_text.h"
#include "validity/module_rules.h"

#include <utility>

namespace lanewise::validity {

namespace {

using spv::Op;

/// What may stand in a place.
enum class Place : uint8_t {
  Anything,    ///< any id that is defined somewhere
  Value,       ///< something with a type, defined before
  ValueOrType, ///< the same, or a type
  PhiValue,    ///< a value that may be defined later
  Open,        ///< a value as above; or whatever else an extension may take
  Label,
  Function, ///< perhaps defined later
  FunctionType,
  String,
  Group, ///< OpDecorationGroup
  Struct
};

/// Instructions that take a type among their operands.
bool takesType(Op op) {
  switch (uint32_t(op)) {
  case uint32_t(Op::OpSizeOf):
  case uint32_t(Op::OpCooperativeMatrixLengthNV):
  case uint32_t(newer::Op::OpCooperativeMatrixLengthKHR):
  case uint32_t(newer::Op::OpUntypedVariableKHR):
  case uint32_t(newer::Op::OpUntypedAccessChainKHR):
  case uint32_t(newer::Op::OpUntypedInBoundsAccessChainKHR):
  case uint32_t(newer::Op::OpUntypedPtrAccessChainKHR):
  case uint32_t(newer::Op::OpUntypedInBoundsPtrAccessChainKHR):
  case uint32_t(newer::Op::OpUntypedArrayLengthKHR):
  case uint32_t(Op::OpSpecConstantOp):
    return true;
  default:
    return false;
  }
}

Place placeInPreamble(Op op, uint32_t word) {
  switch (op) {
  case Op::OpEntryPoint:
    return word == 2 ? Place::Function : Place::Anything;
  case Op::OpExecutionMode:
  case Op::OpExecutionModeId:
    return word == 1 ? Place::Function : Place::Anything;
  default:
    return Place::Anything;
  }
}

Place placeInAnnotation(Op op, uint32_t word) {
  switch (op) {
  case Op::OpGroupDecorate:
  case Op::OpGroupMemberDecorate:
    return word == 1 ? Place::Group : Place::Anything;
  case Op::OpMemberDecorate:
  case Op::OpMemberDecorateString:
    return word == 1 ? Place::Struct : Place::Anything;
  default:
    return Place::Anything;
  }
}

Place placeInTerminator(Op op, uint32_t word) {
  switch (op) {
  case Op::OpBranch:
    return Place::Label;
  case Op::OpBranchConditional:
  case Op::OpSwitch:
    return word == 1 ? Place::Value : Place::Label;
  case Op::OpReturnValue:
  case Op::OpEmitMeshTasksEXT:
    return Place::Value;
  default:
    return Place::Anything;
  }
}

/// Opcodes of extensions have operands that nobody has read: functions to call for each element,
/// types, entry points of other stages.
constexpr uint32_t kFirstExtensionOpcode = 4096;
bool isWellKnown(Op op) {
  const auto n = uint32_t(op);
  return n < kFirstExtensionOpcode || (n >= 4456 && n <= 4460) ||
         op == Op::OpReportIntersectionKHR || isAtomic(factsOf(op)) ||
         (op >= Op::OpSDot && op <= Op::OpSUDotAccSat);
}

/// Kernels pass functions to be enqueued.
bool isKernelLaunch(Op op) {
  return op >= Op::OpEnqueueKernel && op <= Op::OpGetKernelMaxNumSubgroups;
}

Place placeInValue(const Module& m, InstRef i, Op op, uint32_t word) {
  switch (op) {
  case Op::OpPhi:
    return word % 2 == 1 ? Place::PhiValue : Place::Label;
  case Op::OpFunctionCall:
    return word == 3 ? Place::Function : Place::Value;
  default:
    break;
  }
  if (isExtInst(op)) {
    if (word == 3) return Place::Anything; // looked at before
    const ExtInstSet set = m.extInstSet(m.idAt(i, 3));
    return set == ExtInstSet::GlslStd450 || set == ExtInstSet::OpenClStd ? Place::Value
                                                                         : Place::Anything;
  }
  if (takesType(op)) return Place::ValueOrType;
  return isWellKnown(op) && !isKernelLaunch(op) ? Place::Value : Place::Open;
}

Place placeOf(const Module& m, InstRef i, const OpcodeFacts& f, uint32_t word) {
  switch (f.opClass) {
  case OpClass::Preamble:
    return placeInPreamble(f.opcode, word);
  case OpClass::Debug:
    if (f.opcode == Op::OpMemberName) return Place::Struct;
    return f.opcode == Op::OpSource ? Place::String : Place::Anything;
  case OpClass::Line:
    return Place::String;
  case OpClass::Annotation:
    return placeInAnnotation(f.opcode, word);
  case OpClass::Type: // the reader sees to their order, instructions/declarations.cpp to the rest
    return Place::Anything;
  case OpClass::Constant:
    if (f.opcode == Op::OpSpecConstantOp) return Place::ValueOrType;
    return uint32_t(f.opcode) < kFirstExtensionOpcode ? Place::Value : Place::Anything;
  case OpClass::Variable:
    return takesType(f.opcode) ? Place::ValueOrType : Place::Value;
  case OpClass::Function:
    return Place::FunctionType;
  case OpClass::Merge:
    return Place::Label;
  case OpClass::Terminator:
    return placeInTerminator(f.opcode, word);
  case OpClass::Value:
    return placeInValue(m, i, f.opcode, word);
  default:
    return Place::Anything;
  }
}

/// What stands in a place that is not for values, and its name; OpNop where anything may.
struct Wanted {
  Op op;
  std::string_view name;
};
Wanted wantedIn(Place place) {
  switch (place) {
  case Place::Label:
    return {Op::OpLabel, "where a label belongs"};
  case Place::Function:
    return {Op::OpFunction, "where a function belongs"};
  case Place::FunctionType:
    return {Op::OpTypeFunction, "where a function type belongs"};
  case Place::String:
    return {Op::OpString, "where a string belongs"};
  case Place::Group:
    return {Op::OpDecorationGroup, "where a decoration group belongs"};
  case Place::Struct:
    return {Op::OpTypeStruct, "where a structure type belongs"};
  default:
    return {Op::OpNop, {}};
  }
}

} // namespace

bool isVariable(Op op) {
  return op == Op::OpVariable || op == newer::Op::OpUntypedVariableKHR;
}

IdRules::IdRules(Subject& s, const Flow& flow) : s_(s), m_(s.module), flow_(flow) {
  lastUser_.resize(m_.idBound());
  uses_.variables.resize(m_.functionCount() + 1);
  uses_.calls.resize(m_.functionCount() + 1);
}

bool IdRules::failPlace(InstRef i, uint32_t word, std::string_view what) {
  const Id id = m_.idAt(i, word);
  return s_.fail(i,
                 formatText("operand {} is %{} ({}), {}", operandNumber(m_, i, word), id.value,
                            factsOf(m_.opcodeOf(id)).name, what),
                 id);
}

/// A definition inside a function is seen from nowhere else.
bool IdRules::checkSameFunction(InstRef i, uint32_t word, InstRef d) {
  if (!block_) return true; // names and decorations; nothing else stands outside blocks
  if (const BlockRef owner = m_.blockOf(d))
    return owner == block_ || m_.functionOf(owner) == FunctionRef(function_) ||
           failPlace(i, word, "which belongs to another function");
  if (m_.opcode(d) != Op::OpFunctionParameter) return true;
  const InstRange insts = m_.functionInsts(FunctionRef(function_));
  return (d >= insts.first && d < insts.last) ||
         failPlace(i, word, "which belongs to another function");
}

/// An unreachable use is never executed and may use anything (2.16.1).
bool IdRules::checkDominance(InstRef i, uint32_t word, InstRef d, BlockRef at) {
  const BlockRef owner = m_.blockOf(d);
  if (!owner || owner == at || !at || !flow_.dominators.isReachable(at) ||
      flow_.dominators.dominates(owner, at))
    return true;
  return failPlace(i, word, "whose definition does not dominate this use");
}

bool IdRules::checkValue(InstRef i, uint32_t word, InstRef d, bool isPhi) {
  if (!s_.typeOf(m_.idAt(i, word))) return failPlace(i, word, "where a value belongs");
  if (isExtInst(m_.opcode(d)) && isNonSemanticSet(m_.extInstSet(m_.idAt(d, 3))))
    return failPlace(i, word, "which computes nothing");
  if (isPhi)
    return checkSameFunction(i, word, d) &&
           (!flow_.dominators.isReachable(block_) ||
            checkDominance(i, word, d, m_.blockOfLabel(m_.idAt(i, word + 1))));
  // In another block it may stand later, and dominate.
  if (d >= i && (!block_ || m_.blockOf(d) == block_ || !m_.blockOf(d)))
    return failPlace(i, word, "which is defined later");
  return checkSameFunction(i, word, d) && checkDominance(i, word, d, block_);
}

bool IdRules::checkPlace(InstRef i, const OpcodeFacts& f, uint32_t word, InstRef d) {
  const Place place = placeOf(m_, i, f, word);
  switch (place) {
  case Place::Anything:
    return true;
  case Place::ValueOrType:
    if (m_.facts(d).opClass == OpClass::Type)
      return d < i || failPlace(i, word, "which is declared later");
    return checkValue(i, word, d, false);
  case Place::Open:
    return !s_.typeOf(m_.idAt(i, word)) || checkValue(i, word, d, false);
  case Place::Value:
  case Place::PhiValue:
    return checkValue(i, word, d, place == Place::PhiValue);
  default: {
    const Wanted wanted = wantedIn(place);
    return m_.opcode(d) == wanted.op || failPlace(i, word, wanted.name);
  }
  }
}

/// Uses of the module's variables and calls, for the interfaces of entry points.
void IdRules::note(Id id, InstRef d, InstRef i) {
  if (lastUser_[id.value] == function_) return;
  const Op op = m_.opcode(d);
  if (isVariable(op)) {
    const bool isUse = !isExtInst(m_.opcode(i)) || !isNonSemanticSet(m_.extInstSet(m_.idAt(i, 3)));
    if (!isUse) return; // debug information is none
    uses_.variables[function_].push_back(id);
  } else if (op == Op::OpFunction && m_.opcode(i) == Op::OpFunctionCall) {
    uses_.calls[function_].push_back(m_.functionOfId(id));
  }
  lastUser_[id.value] = function_;
}

bool IdRules::checkOperand(InstRef i, const OpcodeFacts& f, uint32_t word, Id id) {
  const InstRef d = m_.def(id);
  if (!d)
    return m_.hasUnknown() || s_.fail(i,
                                      formatText("operand {} is %{}, which nothing defines",
                                                 operandNumber(m_, i, word), id.value),
                                      id);
  if (m_.hasUnknown() && m_.facts(d).opClass == OpClass::Unknown) return true;
  if (block_ && !m_.blockOf(d)) note(id, d, i);
  return checkPlace(i, f, word, d);
}

namespace {

/// The commonest instructions take nothing but values in a row of words, perhaps before literals;
/// then there is no need to walk the operands by the grammar. Empty for any other.
std::pair<uint32_t, uint32_t> plainValues(const Module& m, InstRef i, const OpcodeFacts& f) {
  constexpr uint32_t kOldest = 256;
  const uint32_t words = m.wordCount(i);
  switch (f.opcode) {
  case Op::OpLoad:
    return {3, words == 4 ? 4 : 0};
  case Op::OpStore:
    return {1, words == 3 ? 3 : 0};
  case Op::OpCompositeExtract:
    return {3, 4};
  case Op::OpCompositeInsert:
  case Op::OpVectorShuffle:
    return {3, 5};
  case Op::OpExtInst:
    return {5, m.extInstSet(m.idAt(i, 3)) == ExtInstSet::GlslStd450 ? words : 0};
  case Op::OpPhi:
  case Op::OpFunctionCall:
    return {};
  default:
    break;
  }
  const bool plain = f.onlyIds && f.opClass == OpClass::Value && uint32_t(f.opcode) < kOldest;
  return {1u + f.hasResultType + f.hasResult, plain ? words : 0};
}

} // namespace

bool IdRules::checkPlainValues(InstRef i, uint32_t first, uint32_t last) {
  for (uint32_t word = first; word < last; ++word) {
    const Id id = m_.idAt(i, word);
    const InstRef d = m_.def(id);
    if (!d || m_.hasUnknown()) {
      if (!checkOperand(i, m_.facts(i), word, id)) return false;
      continue;
    }
    if (!m_.blockOf(d)) note(id, d, i);
    if (!checkValue(i, word, d, false)) return false;
  }
  return true;
}

bool IdRules::check(InstRef i, const OpcodeFacts& f) {
  block_ = m_.blockOf(i);
  if (block_) function_ = m_.functionOf(block_).value;
  if (isExtInst(f.opcode) && m_.opcodeOf(m_.idAt(i, 3)) != Op::OpExtInstImport)
    return s_.fail(
        i, formatText("operand 1 is %{}, which is no imported instruction set", m_.word(i, 3)),
        m_.idAt(i, 3));
  if (m_.hasUnknown() && m_.isUnknown(i)) return true;
  if (block_)
    if (const auto [first, last] = plainValues(m_, i, f); last != 0)
      return checkPlainValues(i, first, last);
  bool good = true;
  m_.forEachIdOperand(i, [&](uint32_t word, Id id) {
    if (!good || (f.hasResultType && word == 1)) return; // the reader has checked the result type
    good = checkOperand(i, f, word, id);
  });
  return good;
}

} // namespace lanewise::validity
