#version 450
#extension GL_GOOGLE_include_directive : require
// Phase 3 of a step: pairs that meet have children.
layout(local_size_x = 16, local_size_y = 16) in;

#define PHASE 3
#include "cell.glsl"
#if defined(SOA)
#include "soa.glsl"
#elif defined(NARROW)
#include "narrow.glsl"
#elif defined(TILED)
#include "tile.glsl"
#else
#include "aos.glsl"
#endif
#include "rules.glsl"

void main() {
  prepare();
  const ivec2 p = ivec2(gl_GlobalInvocationID.xy);
  store(p, mate(p));
}
