// Rules that are about more than one instruction, by theme. As in instructions/rules.h, each is
// true for a module that breaks none and leaves the first fault in the Subject. The classes look at
// one instruction after the other, in module order, so that one pass serves all of them.
#pragma once

#include "validity/flow.h"
#include "validity/instructions/subject.h"

#include <array>
#include <unordered_set>
#include <vector>

namespace lanewise::validity {

/// OpVariable and OpUntypedVariableKHR.
bool isVariable(spv::Op op);

/// Order of sections, one memory model, where variables, phis and merges stand (SPIR-V 2.4).
class LayoutRules {
public:
  explicit LayoutRules(Subject& s) : s_(s) {}
  bool checkGlobal(InstRef i, const OpcodeFacts& f);
  bool checkGlobalsEnd();
  /// Of an instruction between OpFunction and OpFunctionEnd; `block` null outside blocks.
  bool checkInFunction(InstRef i, const OpcodeFacts& f, BlockRef block);
  bool checkFunctionOrder();

private:
  Subject& s_;
  uint8_t section_ = 0;
  InstRef sectionAt_, memoryModel_;
  BlockRef block_; ///< the one that the next fields are about
  bool isEntry_ = false, isHead_ = false;
};

/// Opcodes and enumerants have what makes them available (3.31).
class DeclaredRules {
public:
  explicit DeclaredRules(Subject& s);
  bool check(InstRef i, const OpcodeFacts& f);

private:
  struct Visitor;
  bool checkOpcode(InstRef i, spv::Op op);
  bool checkOperand(InstRef i, const OperandFacts& operand, uint32_t value);
  bool checkEnumerant(InstRef i, uint8_t enumIndex, uint32_t value);
  bool isNew(uint8_t enumIndex, uint32_t value);
  bool isLax(uint8_t enumIndex, uint32_t value) const;

  enum Opcode : uint8_t { kUnseen, kNoEnumerants, kOptionalEnumerants, kEnumerants };
  static constexpr uint32_t kOpcodes = 8192, kEnums = 128, kSmall = 64;
  Subject& s_;
  uint8_t decorationEnum_, capabilityEnum_, groupOperationEnum_, builtInEnum_, roundingEnum_;
  bool freeRounding_;
  std::array<uint8_t, kOpcodes> opcodes_{}; ///< Opcode, by opcode; those beyond have none
  std::array<uint64_t, kEnums> small_{};    ///< enumerants below kSmall that have been checked
  std::unordered_set<uint64_t> large_;      ///< the others
};

/// What each function uses of the module's variables, and which functions it calls.
struct Uses {
  std::vector<std::vector<Id>> variables;      ///< by FunctionRef
  std::vector<std::vector<FunctionRef>> calls; ///< by FunctionRef
};

/// Every operand is defined, before its use unless it may come later, of the kind that its place
/// takes, and dominates its use (2.8, 2.16.1).
class IdRules {
public:
  IdRules(Subject& s, const Flow& flow);
  bool check(InstRef i, const OpcodeFacts& f);
  const Uses& uses() const { return uses_; }

private:
  bool checkPlainValues(InstRef i, uint32_t first, uint32_t last);
  bool checkOperand(InstRef i, const OpcodeFacts& f, uint32_t word, Id id);
  bool checkPlace(InstRef i, const OpcodeFacts& f, uint32_t word, InstRef d);
  bool checkValue(InstRef i, uint32_t word, InstRef d, bool isPhi);
  bool checkSameFunction(InstRef i, uint32_t word, InstRef d);
  bool checkDominance(InstRef i, uint32_t word, InstRef d, BlockRef at);
  void note(Id id, InstRef d, InstRef user);
  bool failPlace(InstRef i, uint32_t word, std::string_view what);

  Subject& s_;
  const Module& m_;
  const Flow& flow_;
  BlockRef block_;                 ///< that of the instruction, null outside blocks
  uint32_t function_ = 0;          ///< that of the last block, 0 before the first
  std::vector<uint32_t> lastUser_; ///< by Id: keeps uses_ free of repetitions
  Uses uses_;
};

/// Types that must be unique are (2.8).
bool checkDuplicates(Subject& s);
/// Branches go to blocks of their function, conditions and cases fit (3.42.17).
bool checkBranches(Subject& s);
/// A phi has one value of its type for each predecessor.
bool checkPhis(Subject& s, const Flow& flow);
/// Blocks stand behind the blocks that dominate them (2.16.1).
bool checkBlockOrder(Subject& s, const Flow& flow);
/// Structured control flow of Shader modules (2.11).
bool checkStructure(Subject& s, const Flow& flow);
/// Targets of decorations, and those that buffers need (3.20, 2.16.2).
bool checkDecorations(Subject& s);
/// Entry points, their interfaces and execution modes.
bool checkEntryPoints(Subject& s, const Uses& uses);

} // namespace lanewise::validity
