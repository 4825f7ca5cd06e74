// The form in which tables say which types an operation takes: for its result and each operand a
// set of kinds, and how an operand's type must agree with the result's or the first operand's.
#pragma once

#include "validity/instructions/subject.h"

#include <cstdint>

namespace lanewise::validity {

/// Kinds of type, as sets. S: scalar, V: vector.
enum Takes : uint16_t {
  kBoolS = 1,
  kUnsignedS = 2,
  kSignedS = 4,
  kFloatS = 8,
  kBoolV = 16,
  kUnsignedV = 32,
  kSignedV = 64,
  kFloatV = 128,
  kMatrix = 256,
  kCoopInt = 512,
  kCoopFloat = 1024,
  kPointerS = 2048,
  kRest = 4096,

  kIntS = kUnsignedS | kSignedS,
  kIntV = kUnsignedV | kSignedV,
  kBools = kBoolS | kBoolV,
  kUnsigneds = kUnsignedS | kUnsignedV | kCoopInt,
  kInts = kIntS | kIntV,
  kFloats = kFloatS | kFloatV,
  kCoop = kCoopInt | kCoopFloat,
  kAny = 0x1FFF
};

/// How an operand agrees with others.
enum Agrees : uint8_t {
  kFree = 0,
  kResultType = 1,  ///< has the result type
  kCount = 2,       ///< as many components as the result
  kWidth = 4,       ///< components as wide as the result's
  kFirstType = 8,   ///< has the type of the first operand
  kFirstWidth = 16, ///< components as wide as the first operand's
  kComponent = 32,  ///< has the component type of the result
  kOtherWidth = 64  ///< components of another width than the result's
};

struct OperandRule {
  uint16_t takes = 0;
  uint8_t agrees = kFree;
};

struct OperationRule {
  uint16_t result;
  uint8_t operands;
  OperandRule rules[4];
};

/// The set of kinds that a shape belongs to: one of them, or all where nothing is known of it.
uint16_t kindsOf(const Shape& s);
/// "float scalar or vector".
std::string describeKinds(uint16_t takes);

/// Holds an instruction to a rule. Its operands start at `firstWord`; words that an instruction
/// does not have are not looked at.
bool checkRule(Subject& s, InstRef i, uint32_t firstWord, const OperationRule& rule);

/// The same rule for an OpSpecConstantOp: these are written with less care for signs than others,
/// and have long gone unchecked.
OperationRule withoutSigns(OperationRule rule);

/// Arithmetic, logic, comparisons, bits, selections, conversions, for `op` being the opcode of the
/// instruction or that which an OpSpecConstantOp holds. True for any other opcode.
bool checkOperation(Subject& s, InstRef i, spv::Op op, uint32_t firstWord);

} // namespace lanewise::validity
