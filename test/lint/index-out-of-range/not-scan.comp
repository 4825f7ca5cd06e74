// Counters of one loop have the values of one iteration: where the offset is 2, half of the invocations take part.
// RUN: %lanewise lint %s --rule=index-out-of-range | count 0
// RUN: sed 's/g < d/g <= d/' %s > %t.comp && not %lanewise lint %t.comp --rule=index-out-of-range | FileCheck %s
// CHECK: error: index 129 is out of range for invocation (32, 0, 0): 'sums' has 128 elements
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
shared uint sums[128];

void main() {
  uint g = gl_LocalInvocationIndex;
  sums[2u * g] = data[2u * g];
  sums[2u * g + 1u] = data[2u * g + 1u];
  uint offset = 1u;
  for (uint d = 64u; d > 0u; d >>= 1) {
    barrier();
    if (g < d) sums[offset * (2u * g + 2u) - 1u] += sums[offset * (2u * g + 1u) - 1u];
    offset *= 2u;
  }
  for (uint d = 1u; d < 128u; d *= 2u) {
    offset >>= 1;
    barrier();
    if (g < d) {
      uint left = offset * (2u * g + 1u) - 1u, right = offset * (2u * g + 2u) - 1u, kept = sums[left];
      sums[left] = sums[right];
      sums[right] += kept;
    }
  }
  barrier();
  data[2u * g] = sums[2u * g];
  data[2u * g + 1u] = sums[2u * g + 1u];
}
