// In range, or not known to be run: arrays without a length, indices that data or the host decides, and what a
// condition keeps inside.
// RUN: %lanewise lint %s --rule=index-out-of-range | count 0
#version 450
layout(local_size_x = 64) in;
layout(constant_id = 0) const int LENGTH = 4;
layout(set = 0, binding = 0) buffer Data { uint count; float data[]; };
layout(set = 0, binding = 1) uniform Weights { vec4 weights[16]; mat3 turn; };
layout(set = 0, binding = 2) uniform sampler2D images[4];
const float table[5] = float[5](1.0, 2.0, 3.0, 4.0, 5.0);

void main() {
  uint t = gl_LocalInvocationID.x;
  float own[4], sized[LENGTH];
  for (int n = 0; n < 4; ++n) own[n] = data[t + 100000u + n];
  for (int n = 0; n < 8; ++n) sized[n] = 1.0;
  float sum = own[t & 3u] + sized[t];
  for (int n = 0; n <= 16; ++n)
    if (n < 16) sum += weights[n].x;
  for (uint n = 0u; n <= count; ++n) sum += weights[n].y;
  for (int n = 0; n < 5; ++n) sum += table[n];
  if (t < 4u) sum += textureLod(images[t], vec2(0.5), 0.0).x;
  sum += turn[t % 3u].x + weights[count].z;
  data[t] = sum;
}
