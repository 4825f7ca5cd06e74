// glslang gives some of HLSL's operators and intrinsic functions another meaning than HLSL does.
// Judged by what it wrote, not by its version: of a glslang that is right nothing is changed or
// refused.
#pragma once

#include "input/front_end.h"

#include <string>
#include <string_view>

namespace lanewise::driver {

/// Macros that are to stand in front of `text`, for what SPIR-V no longer shows; "" where it uses
/// nothing of these:
///
/// - Store2(), Store3() and Store4() of a byte address buffer compute their value once for each
///   component, the later ones behind the stores of the earlier ones. The macros compute it before.
/// - InterlockedCompareStore() is left out. It becomes an InterlockedCompareExchange() whose result
///   nobody reads.
std::string intrinsicMacros(std::string_view text);

/// `compiled` is what glslang made of HLSL, with lines. What can be mended is, with a warning where
/// other tools that use glslang give other results; what cannot is an error, and then there are no
/// words.
///
/// - WavePrefixSum and WavePrefixProduct leave the lane's own value out ("Wave Intrinsics" of
///   shader model 6.0), and glslang writes an InclusiveScan. HLSL has no intrinsic that means
///   one, so every InclusiveScan is such a call and becomes an ExclusiveScan.
/// - WaveActiveAllEqual of a vector is a vector, one answer a component, and glslang writes one
///   answer for all. What the source does with it cannot be told any more: refused.
/// - fmod() and % of floats have the sign of the dividend, as OpFRem has, and glslang writes
/// OpFMod.
/// - Shifts take the low bits of their amount ("Bitwise operators" of HLSL: 5 of them for 32 bits),
///   and SPIR-V's are undefined from the width on. Amounts that may be larger are masked, as DXC
///   does; without a warning: drivers mostly do the same.
/// - What SPIR-V has for floats alone, or for operands of one type: mad() of integers is a product
///   and a sum, ldexp() by a float a product with exp2(), and what InterlockedAdd() and its kin
///   give to memory of the other signedness is the same bits.
///
/// An Error is a module that cannot be read.
Status mendIntrinsics(Compiled& compiled);

/// Whether buffers are declared as SPIR-V has them up to 1.3 alone (BufferBlock), in a later
/// version: glslang declares HLSL's so for every one.
bool hasLateBufferBlocks(const Words& words);

} // namespace lanewise::driver
