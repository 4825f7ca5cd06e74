#version 430
// Nothing is known of an index from memory, so a histogram stays as it is.
//
// RUN: %lanewise opt -g %s -o %t.in.spv
// RUN: %lanewise opt %t.in.spv --target=nvidia -O --remarks=none -o %t.spv
// RUN: %lanewise opt %t.in.spv --target=nvidia -O --skip=pad-shared-memory:* --remarks=none -o %t.without.spv && cmp %t.spv %t.without.spv
// RUN: %lanewise opt --remarks=all %t.in.spv --target=nvidia -O -o %t.spv 2>&1 | FileCheck %s
// CHECK: 'bins[256]' has no known bank conflicts
// CHECK: AtomicIAdd of 4 bytes, data-dependent
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer In { uint src[]; };
layout(binding = 1) writeonly buffer Out { uint dst[]; };
shared uint bins[256];
void main() {
  uint t = gl_LocalInvocationID.x;
  bins[t] = 0;
  barrier();
  atomicAdd(bins[src[t] & 255], 1);
  barrier();
  dst[t] = bins[t];
}
