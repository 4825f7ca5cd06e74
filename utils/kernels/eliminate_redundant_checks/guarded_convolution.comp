#version 450
// A convolution over channels and a window whose sizes the host knows, with the loops as naga writes them: one count for each loop of a
// function, that of an inner loop going on through all around it.
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0, std430) readonly buffer Image { float image[]; };
layout(binding = 1, std430) readonly buffer Filter { float weights[]; };
layout(binding = 2, std430) writeonly buffer Result { float result[]; };
layout(push_constant) uniform Sizes { uint width, channels, window; };
void main() {
  uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y, size = gl_NumWorkGroups.x * 16u;
  uvec2 channelsLeft = uvec2(0xffffffffu), rowsLeft = uvec2(0xffffffffu), columnsLeft = uvec2(0xffffffffu);
  float sum = 0.0;
  for (uint c = 0u;; ++c) {
    if (all(equal(uvec2(0u), channelsLeft))) break;
    channelsLeft -= uvec2(channelsLeft.y == 0u ? 1u : 0u, 1u);
    if (!(c < channels)) break;
    for (uint dy = 0u;; ++dy) {
      if (all(equal(uvec2(0u), rowsLeft))) break;
      rowsLeft -= uvec2(rowsLeft.y == 0u ? 1u : 0u, 1u);
      if (!(dy < window)) break;
      for (uint dx = 0u;; ++dx) {
        if (all(equal(uvec2(0u), columnsLeft))) break;
        columnsLeft -= uvec2(columnsLeft.y == 0u ? 1u : 0u, 1u);
        if (!(dx < window)) break;
        sum += image[(c * width + y + dy) * width + x + dx] * weights[(c * window + dy) * window + dx];
      }
    }
  }
  result[y * size + x] = sum;
}
