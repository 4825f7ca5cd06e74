// glslang gives some of HLSL's wave intrinsics another meaning than HLSL does. Judged by what it
// wrote, not by its version: of a glslang that is right nothing is changed or refused.
#pragma once

#include "input/front_end.h"

namespace lanewise::driver {

/// `compiled` is what glslang made of HLSL, with lines. What can be mended is, with a warning; what
/// cannot is an error, and then there are no words.
///
/// - WavePrefixSum and WavePrefixProduct leave the lane's own value out ("Wave Intrinsics" of
///   shader model 6.0), and glslang writes an InclusiveScan. HLSL has no intrinsic that means
///   one, so every InclusiveScan is such a call and becomes an ExclusiveScan.
/// - WaveActiveAllEqual of a vector is a vector, one answer a component, and glslang writes one
///   answer for all. What the source does with it cannot be told any more: refused.
///
/// An Error is a module that cannot be read.
Status mendWaveIntrinsics(Compiled& compiled);

} // namespace lanewise::driver
