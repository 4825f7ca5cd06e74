#version 450
#extension GL_EXT_demote_to_helper_invocation : require
layout(location = 0) in float x;
layout(location = 0) out float y;
#ifdef MOVES
layout(location = 1) flat in int threshold;
#define CHANGES (threshold > 3)
#else
#define CHANGES gl_HelperInvocation
#endif
void main() {
  float sum = x;
  for (uint n = 0u; n < 9u; ++n) {
    sum += sqrt(sum);
    sum += CHANGES ? 2.0 : 0.5;
  }
  y = sum;
}
