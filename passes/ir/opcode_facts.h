// What the specification says of each opcode, in one table. The table is generated at build time
// (passes/ir/generate_opcode_facts.py) from the grammar that is kept in passes/ir/grammar, not from
// the headers that happen to be installed; the few facts that the grammar does not hold (may it be
// speculated, what memory it touches) are in passes/ir/opcode_effects.def. Names and what a module
// must declare to use them: ir/grammar_names.h.
#pragma once

#include "ir/handles.h"

#include <array>
#include <cstdint>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <string_view>

namespace lanewise {

/// Memory and other effects of executing an instruction once. A conservative summary: an opcode
/// that the table does not know has all of them.
enum class Effect : uint16_t {
  None = 0,
  ReadsMemory = 1 << 0,  ///< through a pointer or image operand
  WritesMemory = 1 << 1, ///< through a pointer or image operand
  Atomic = 1 << 2,       ///< OpAtomic*
  Barrier = 1 << 3,      ///< OpControlBarrier, OpMemoryBarrier and the like
  Subgroup = 1 << 4, ///< result depends on which other invocations execute it (group operations,
                     ///  implicit derivatives)
  Control = 1 << 5,  ///< changes the flow of control: terminators, OpKill, calls' callee unknown
  MayTrapOrUndef = 1 << 6 ///< undefined for some operand values (integer division, out-of-range
                          ///  conversion, dynamic index): not to be speculated without a proof
};
constexpr Effect operator|(Effect a, Effect b) {
  return Effect(uint16_t(a) | uint16_t(b));
}
constexpr bool has(Effect set, Effect one) {
  return (uint16_t(set) & uint16_t(one)) != 0;
}

/// What one scalar 32-bit component of an instruction's work costs, roughly: what hardware does in
/// one place. analysis/branches/operation_cost.h has the figures.
enum class CostClass : uint8_t {
  Simple,         ///< one instruction at full rate: addition, logic, comparison, select, float
                  ///< multiplication
  Free,           ///< a name for what is in registers, or a modifier of another instruction
  Multiply,       ///< of integers
  Convert,        ///< between integers and floats, or counts bits
  Divide,         ///< of floats
  IntegerDivide,  ///< and remainder
  Special,        ///< one instruction of the special function unit: square root, exponential, sine
  Transcendental, ///< a few of those: power, inverse trigonometric functions
  Load
};

/// The part of the module an instruction belongs to (SPIR-V specification, 2.4 Logical Layout of a
/// Module), and its role there.
enum class OpClass : uint8_t {
  Unknown,    ///< opcode that the table does not know: leave it alone
  Preamble,   ///< capabilities, extensions, imports, memory model, entry points, execution modes
  Debug,      ///< OpSource*, OpString, OpName, OpMemberName, OpModuleProcessed
  Line,       ///< OpLine, OpNoLine
  Annotation, ///< OpDecorate*, OpMemberDecorate*, OpGroup*Decorate, OpDecorationGroup
  Type,       ///< OpType*
  Constant,   ///< OpConstant*, OpSpecConstant*, OpUndef (which may also stand in a function)
  Variable,   ///< OpVariable
  Function,   ///< OpFunction, OpFunctionParameter, OpFunctionEnd
  Label,      ///< OpLabel
  Merge,      ///< OpSelectionMerge, OpLoopMerge
  Terminator, ///< ends a block
  Value       ///< everything else that stands in a block (OpExtInst may also stand outside)
};

/// How one operand is written. `Id` and the literal kinds take the words that their name says.
enum class OperandKind : uint8_t {
  ResultType,
  Result,
  Id,            ///< one word, an id
  Literal,       ///< one word, an integer and not an id
  Float,         ///< one word, a 32-bit float
  String,        ///< UTF-8, nul-terminated, padded to a word
  ContextNumber, ///< as many words as the result type is wide (all that is left in the instruction)
  ValueEnum,     ///< one word; enumerants may have operands of their own
  BitEnum,       ///< one word; each set bit may have operands of its own, lowest bit first
  ExtInst,       ///< one word, an instruction of an imported set; what follows depends on it
  SpecOp,        ///< one word, an opcode; its operands (without result) follow
  PairLiteralId, ///< OpSwitch: a literal of the selector's width, then a label id
  PairIdLiteral,
  PairIdId
};
enum class Quantifier : uint8_t { One, Optional, Any };

struct OperandFacts {
  OperandKind kind;
  Quantifier quantifier;
  uint8_t enumIndex; ///< for ValueEnum and BitEnum: which enumeration, for enumerantOperands()
};

struct OpcodeFacts {
  spv::Op opcode;
  std::string_view name; ///< "OpAccessChain"
  OpClass opClass;
  Effect effects;
  bool hasResult;
  bool hasResultType;
  bool speculatable; ///< total and pure: may be executed where it was not before
  CostClass cost;
  bool onlyIds;       ///< behind the result, every operand word is an id (the common, fast case)
  uint8_t leadingIds; ///< behind the result, so many words that always are ids
  bool hasIdsBehind;  ///< whether words behind those may be ids, too
  uint16_t minWords;  ///< fewest words of the instruction, the first included
  uint16_t maxWords;  ///< most words, 0xFFFF if not limited or not known beforehand
  std::span<const OperandFacts> operands;
};

/// What an opcode does of which nobody has written down what it does (opcode_effects.def).
inline constexpr Effect kEveryEffect = Effect((uint16_t(Effect::MayTrapOrUndef) << 1) - 1);
/// OpExtInst and OpExtInstWithForwardRefsKHR: the set is in word 3, the instruction in word 4.
constexpr bool isExtInst(spv::Op op) {
  constexpr uint32_t kWithForwardRefs = 4433; // newer than the headers of 2023
  return op == spv::Op::OpExtInst || uint32_t(op) == kWithForwardRefs;
}
/// True for the atomic instructions themselves. Of other opcodes Effect::Atomic only says that they
/// may do anything: calls, and what nobody has read.
constexpr bool isAtomic(const OpcodeFacts& f) {
  constexpr Effect kMemory = Effect::Atomic | Effect::ReadsMemory | Effect::WritesMemory;
  return has(f.effects, Effect::Atomic) && (uint16_t(f.effects) & ~uint16_t(kMemory)) == 0;
}
/// True when the result depends on the operands and on nothing else, wherever it is defined: no
/// memory, no other invocation, no way by which control came here. Extended instructions are their
/// sets' matter.
constexpr bool isFunctionOfOperands(const OpcodeFacts& f) {
  return f.opClass == OpClass::Value && f.hasResult && f.opcode != spv::Op::OpPhi &&
         (f.effects == Effect::None || f.effects == Effect::MayTrapOrUndef);
}

/// OpAccessChain and OpInBoundsAccessChain: base in word 3, indices from word 4 on.
constexpr bool isAccessChain(spv::Op op) {
  return op == spv::Op::OpAccessChain || op == spv::Op::OpInBoundsAccessChain;
}
/// Those whose first index steps over whole elements.
constexpr bool isPtrAccessChain(spv::Op op) {
  return op == spv::Op::OpPtrAccessChain || op == spv::Op::OpInBoundsPtrAccessChain;
}
/// Group operations that combine the values of several invocations: word 4 says of which
/// (GroupOperation).
constexpr bool isGroupReduction(spv::Op op) {
  return op >= spv::Op::OpGroupNonUniformIAdd && op <= spv::Op::OpGroupNonUniformLogicalXor;
}

/// Word of the pointer that a load, a store or an atomic goes through; 0 for anything else
/// (OpCopyMemory has two).
constexpr uint32_t pointerWord(const OpcodeFacts& f) {
  if (f.opcode == spv::Op::OpLoad) return 3;
  if (f.opcode == spv::Op::OpStore) return 1;
  return !isAtomic(f) ? 0 : f.hasResult ? 3 : 1;
}
/// Words of an atomic's scope and (first) semantics: they follow the pointer (SPIR-V 3.42.18).
constexpr uint32_t atomicScopeWord(const OpcodeFacts& f) {
  return f.hasResult ? 4 : 2;
}
constexpr uint32_t atomicSemanticsWord(const OpcodeFacts& f) {
  return atomicScopeWord(f) + 1;
}
/// Where the memory operands of a load, store or copy begin, if it has some; 0 for anything else.
constexpr uint32_t memoryOperandsWord(spv::Op op) {
  switch (op) {
  case spv::Op::OpStore:
  case spv::Op::OpCopyMemory:
    return 3;
  case spv::Op::OpLoad:
  case spv::Op::OpCopyMemorySized:
    return 4;
  default:
    return 0;
  }
}

/// Facts of an opcode: one that the kept grammar does not have gives an entry of OpClass::Unknown
/// with every effect.
inline const OpcodeFacts& factsOf(spv::Op op);

namespace detail {
/// The opcodes of SPIR-V's core, which nearly all instructions have.
inline constexpr uint32_t kCoreOpcodes = 512;
extern const std::array<uint16_t, kCoreOpcodes> kRowOfCore;
extern const OpcodeFacts* const kAllFacts;
const OpcodeFacts& factsOfOther(spv::Op op);
} // namespace detail

inline const OpcodeFacts& factsOf(spv::Op op) {
  const uint32_t n = uint32_t(op);
  return n < detail::kCoreOpcodes ? detail::kAllFacts[detail::kRowOfCore[n]]
                                  : detail::factsOfOther(op);
}

/// Operands that follow an enumerant (`value`, or one bit of a BitEnum). `known` is false when the
/// enumerant is not in the table (0 of a BitEnum is none: ask bit by bit).
struct EnumerantOperands {
  bool known;
  std::span<const OperandFacts> operands;
};
EnumerantOperands enumerantOperands(uint8_t enumIndex, uint32_t value);

/// Sets of extended instructions that the table knows.
enum class ExtInstSet : uint8_t {
  Unknown, ///< a semantic set we know nothing of: its operands may be anything
  GlslStd450,
  OpenClStd,
  NonSemanticShaderDebugInfo100, ///< any version of it: later ones only add to the first
  NonSemanticClspvReflection,
  NonSemanticGraphDebugInfo,
  NonSemanticVkspReflection,
  NonSemanticOther, ///< any other "NonSemantic.*": by its definition every operand is an id
  OpenClDebugInfo100,
  DebugInfo,
  AmdGcnShader,
  AmdShaderBallot,
  AmdShaderExplicitVertexParameter,
  AmdShaderTrinaryMinmax,
  ArmMotionEngine,
  ArmExperimentalMl,
  Tosa
};
ExtInstSet extInstSetFromName(std::string_view name);
/// Debug information: what it describes may be dropped together with it.
constexpr bool isDebugSet(ExtInstSet set) {
  return set == ExtInstSet::NonSemanticShaderDebugInfo100 ||
         set == ExtInstSet::OpenClDebugInfo100 || set == ExtInstSet::DebugInfo;
}
/// The sets that change nothing that a shader computes: debug information, and what only tells
/// somebody something (NonSemantic.DebugPrintf), which must not be dropped without a word.
constexpr bool isNonSemanticSet(ExtInstSet set) {
  return isDebugSet(set) || set == ExtInstSet::NonSemanticClspvReflection ||
         set == ExtInstSet::NonSemanticGraphDebugInfo ||
         set == ExtInstSet::NonSemanticVkspReflection || set == ExtInstSet::NonSemanticOther;
}

/// What is known of one instruction of a set. Like an unknown opcode, an unknown instruction has
/// every effect.
struct ExtInstFacts {
  bool known;
  std::string_view name; ///< "FMin"; empty if not known or not in a grammar
  Effect effects;
  bool speculatable; ///< as in OpcodeFacts
  CostClass cost;
  std::span<const OperandFacts> operands;
};
/// Facts of an instruction of a set. In NonSemantic.* every instruction is known and without
/// effect.
const ExtInstFacts& extInstFacts(ExtInstSet set, uint32_t instruction);
/// Operands of one instruction of a set; `known` is false when the table does not have it.
inline EnumerantOperands extInstOperands(ExtInstSet set, uint32_t instruction) {
  const ExtInstFacts& facts = extInstFacts(set, instruction);
  return {facts.known, facts.operands};
}

} // namespace lanewise
