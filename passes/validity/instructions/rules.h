// Rules about single instructions, by theme. Each takes any instruction and looks at those that it
// is about; all are true for an instruction that breaks none, and leave the first fault in the
// Subject. Ids are defined and of the right kind when they run (validity/ids.h).
#pragma once

#include "validity/instructions/subject.h"

namespace lanewise::validity {

/// OpType* (SPIR-V 3.42.6): what types may be made of.
bool checkTypeDeclaration(Subject& s, InstRef i);
/// OpConstant*, OpSpecConstant* and OpUndef (3.42.7).
bool checkConstant(Subject& s, InstRef i);

/// Rules about an instruction in a function; for OpSpecConstantOp, about the operation in it:
/// `op` is its opcode and its operands start at `first`.
bool checkComposite(Subject& s, InstRef i, spv::Op op, uint32_t first);

/// Variables, loads, stores, copies (3.42.8).
bool checkMemory(Subject& s, InstRef i);
/// OpAccessChain and its kin, OpArrayLength.
bool checkAccessChain(Subject& s, InstRef i);
/// OpFunction, its parameters, calls and returns (3.42.9).
bool checkFunction(Subject& s, FunctionRef f);
bool checkCall(Subject& s, InstRef i);
/// OpReturn and OpReturnValue against the function's type.
bool checkReturn(Subject& s, InstRef i, Id returnType);
/// Atomics, barriers (3.42.18, 3.42.20).
bool checkAtomic(Subject& s, InstRef i);
bool checkBarrier(Subject& s, InstRef i);
/// Non-uniform group operations (3.42.24).
bool checkGroup(Subject& s, InstRef i);
/// Images (3.42.10).
bool checkImage(Subject& s, InstRef i);
/// OpExtInst of GLSL.std.450.
bool checkExtended(Subject& s, InstRef i);
/// Cooperative matrices, integer dot products.
bool checkNewer(Subject& s, InstRef i);

/// A scope operand: an integer scalar of 32 bits, a constant in Shader modules.
bool checkScope(Subject& s, InstRef i, uint32_t word);
/// The same for memory semantics.
bool checkSemantics(Subject& s, InstRef i, uint32_t word);
/// The type that indices lead to, from `type` over the words from `word` on; each a literal, or an
/// id where `areIds`. Null where the walk fails, which then has been reported, or leads into
/// something open: `known` says which.
struct Walked {
  Id type;
  bool known = true;
};
std::optional<Walked> walkIndices(Subject& s, InstRef i, Id type, uint32_t word, bool areIds);

} // namespace lanewise::validity
