// The extended instruction set GLSL.std.450, as far as compute shaders may use it (SPIR-V Extended
// Instructions for GLSL, revision 13). Pure functions over cells: one uint64_t for each scalar
// component, zero-extended, floats as their bits.
//
// Exact where the specification is exact. Derived functions (Length, FMix, Reflect, ...) follow the
// formula that Vulkan derives their precision from, each step rounded in the operands' type. The
// transcendental ones are computed in double and rounded once, which lies within every limit of
// Vulkan's "Precision and Operation of SPIR-V Instructions"; a device may be further off.
#pragma once

#include "verify/formats/float_bits.h"

#include <cstdint>
#include <span>

namespace lanewise::driver {

struct GlslInstruction {
  const char* name;  ///< "FClamp"
  uint32_t operands; ///< ids after the instruction number
  /// Modf and Frexp: the second operand is a pointer to which the second half of the result goes.
  bool hasPointer = false;
};

/// Nothing for an instruction that compute shaders cannot use (interpolation) and for a reserved or
/// unknown number.
const GlslInstruction* findGlslInstruction(uint32_t number);

struct GlslOperand {
  const uint64_t* cells = nullptr;
  uint32_t count = 0;  ///< components; of a matrix all of them, column after column
  uint32_t width = 32; ///< bits of a component
};

struct FloatModes {
  FloatMode half, single, twice;
  FloatMode of(uint32_t width) const { return width == 16 ? half : width == 32 ? single : twice; }
};

struct GlslCall {
  uint32_t instruction = 0;
  std::span<const GlslOperand> operands; ///< of Modf and Frexp only the first
  /// Components of the result type. Of Modf, ModfStruct, Frexp and FrexpStruct those of one half;
  /// the result then has twice as many cells: fraction and whole part, significand and exponent.
  uint32_t resultCount = 1;
  uint32_t resultWidth = 32; ///< bits of a component, of the first half
  uint32_t secondWidth = 32; ///< bits of Frexp's exponents
  FloatModes modes;
};

/// How much the specification says of a result.
enum class Certainty : uint8_t {
  Defined,
  Unspecified, ///< one of a few values, such as either operand of FMin beside a NaN
  Undefined
};

struct GlslOutcome {
  Certainty certainty = Certainty::Defined; ///< of the least certain component
  uint32_t cells = 0;                       ///< bit i: component i of the result is not Defined
  const char* why = nullptr;                ///< "pow of a negative number"; nothing when Defined
};

/// Computes into `result`, which has room for all cells. The instruction must be one that
/// findGlslInstruction knows and the module must be valid. What is not defined still gives the same
/// bits each time.
GlslOutcome runGlslInstruction(const GlslCall& call, std::span<uint64_t> result);

} // namespace lanewise::driver
