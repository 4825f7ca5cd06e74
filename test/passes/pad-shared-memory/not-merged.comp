// Four neighbouring words of a lane, loaded or stored in one block, are one access of 16 bytes for compilers: each
// alone would have a conflict of degree 4, together they have none, and a gap would take them apart.
// RUN: %lanewise opt -O --target=nvidia --remarks=all %s -o %t.spv 2>&1 | FileCheck %s
// CHECK: note: 's[1024]' has no known bank conflicts [pad-shared-memory:no-conflict]
// One that stands alone is padded, and so are four in blocks of their own.
// RUN: %lanewise opt -O --target=nvidia --remarks=all -D ALONE %s -o %t.alone.spv 2>&1 | FileCheck %s --check-prefix=PADDED
// RUN: %lanewise opt -O --target=nvidia --remarks=all -D APART %s -o %t.apart.spv 2>&1 | FileCheck %s --check-prefix=PADDED
// PADDED: padded 's' from [1024]
#version 430
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) buffer Data { float v[]; };
shared float s[1024];
void main() {
  uint t = gl_LocalInvocationIndex, u = 255u - t;
  float sum = 0;
#if defined(ALONE)
  s[4u * t] = v[t];
  barrier();
  for (int n = 0; n < 64; ++n) sum = sum * 3 + s[4u * ((u + n) & 255u)];
#elif defined(APART)
  for (uint k = 0; k < 4; ++k) s[4u * t + k] = v[t + k];
  barrier();
  for (int n = 0; n < 64; ++n) for (uint k = 0; k < 4; ++k) sum = sum * 3 + s[4u * ((u + n) & 255u) + k];
#else
  s[4u * t] = v[t], s[4u * t + 1u] = v[t + 1u], s[4u * t + 2u] = v[t + 2u], s[4u * t + 3u] = v[t + 3u];
  barrier();
  sum = s[4u * u] + s[4u * u + 1u] * s[4u * u + 2u] - s[4u * u + 3u];
#endif
  v[t] = sum;
}
