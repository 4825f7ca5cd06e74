// What the specification says of each opcode, in one table. The table is generated at build time
// from the grammar files of SPIRV-Headers (passes/ir/generate_opcode_facts.py); the few facts that
// the grammar does not hold (may it be speculated, what memory it touches) are in
// passes/ir/opcode_effects.def.
#pragma once

#include "ir/handles.h"

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
  Literal,       ///< one word, not an id
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
  bool onlyIds;      ///< behind the result, every operand word is an id (the common, fast case)
  uint16_t minWords; ///< fewest words of the instruction, the first included
  uint16_t maxWords; ///< most words, 0xFFFF if not limited or not known beforehand
  std::span<const OperandFacts> operands;
};

/// Facts of an opcode, never null: an opcode unknown to the installed SPIRV-Headers gives an entry
/// of OpClass::Unknown with every effect.
const OpcodeFacts& factsOf(spv::Op op);

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
  NonSemanticShaderDebugInfo100,
  NonSemanticOther, ///< any other "NonSemantic.*": by its definition every operand is an id
  OpenClDebugInfo100,
  DebugInfo,
  Amd ///< the SPV_AMD_* sets
};
ExtInstSet extInstSetFromName(std::string_view name);

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
