// The parts of glsl_std_450.cpp, one file each. Nothing else includes this.
#pragma once

#include "verify/interpreter/ops/glsl_std_450.h"

namespace lanewise::driver {

/// One component of a result.
struct GlslComponent {
  uint64_t bits = 0;
  Certainty certainty = Certainty::Defined;
  const char* why = nullptr;

  GlslComponent undefined(const char* reason) const { return {bits, Certainty::Undefined, reason}; }
  GlslComponent unspecified(const char* reason) const {
    return {bits, Certainty::Unspecified, reason};
  }
};

/// Adds what is known of component `cell` to the outcome.
void note(GlslOutcome& outcome, uint32_t cell, const GlslComponent& component);

/// glsl_floats.cpp: component `at` of an instruction that works component by component.
GlslComponent floatComponent(const GlslCall& call, uint32_t at);
/// Modf and Frexp.
GlslOutcome splitFloats(const GlslCall& call, std::span<uint64_t> result);

/// glsl_packing.cpp: Pack* and Unpack*.
GlslOutcome packOrUnpack(const GlslCall& call, std::span<uint64_t> result);

/// glsl_vectors.cpp: what takes a vector or a matrix as a whole.
GlslOutcome vectorFunction(const GlslCall& call, std::span<uint64_t> result);

} // namespace lanewise::driver
