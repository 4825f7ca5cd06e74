#version 450
#extension GL_GOOGLE_include_directive : require
// Phase 2 of a step: badgers go where they want to, one to each cell.
layout(local_size_x = 16, local_size_y = 16) in;

#define PHASE 2
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
  store(p, moveOn(p));
}
