#version 450
// A loop as WebGPU's compilers write it: it is left after 2^64 - 1 iterations, which `n` never lets it come to.
layout(local_size_x = 64) in;
layout(binding = 0, std430) readonly buffer In { float source[]; };
layout(binding = 1, std430) writeonly buffer Out { float result[]; };
layout(push_constant) uniform Sizes { uint n; };
void main() {
  float x = source[gl_GlobalInvocationID.x], sum = 0.5;
  uvec2 left = uvec2(0xffffffffu);
  for (uint i = 0u;; ++i) {
    if (all(equal(uvec2(0u), left))) break;
    left -= uvec2(left.y == 0u ? 1u : 0u, 1u);
    if (!(i < n)) break;
    sum = fma(sum, x, source[(gl_GlobalInvocationID.x + i) & 1023u]);
  }
  result[gl_GlobalInvocationID.x] = sum;
}
