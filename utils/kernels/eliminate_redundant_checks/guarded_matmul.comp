#version 450
// C = A B in tiles of 16x16, with the loops as WebGPU's compilers write them: each counts down from 2^64 - 1, the inner one through all
// iterations of the outer one, and is left at 0.
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0, std430) readonly buffer A { float a[]; };
layout(binding = 1, std430) readonly buffer B { float b[]; };
layout(binding = 2, std430) writeonly buffer C { float c[]; };
layout(push_constant) uniform Sizes { uint tiles; };
shared float tileA[16][16], tileB[16][16];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y, size = tiles * 16u;
  uvec2 outerLeft = uvec2(0xffffffffu), innerLeft = uvec2(0xffffffffu);
  float sum = 0.0;
  for (uint t = 0u;; ++t) {
    if (all(equal(uvec2(0u), outerLeft))) break;
    outerLeft -= uvec2(outerLeft.y == 0u ? 1u : 0u, 1u);
    if (!(t < tiles)) break;
    tileA[y][x] = a[gl_GlobalInvocationID.y * size + t * 16u + x];
    tileB[x][y] = b[(t * 16u + y) * size + gl_GlobalInvocationID.x];
    barrier();
    for (uint k = 0u;; ++k) {
      if (all(equal(uvec2(0u), innerLeft))) break;
      innerLeft -= uvec2(innerLeft.y == 0u ? 1u : 0u, 1u);
      if (!(k < 16u)) break;
      sum += tileA[y][k] * tileB[x][k];
    }
    barrier();
  }
  c[gl_GlobalInvocationID.y * size + gl_GlobalInvocationID.x] = sum;
}
