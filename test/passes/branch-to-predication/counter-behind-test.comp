// What a loop's test says of its counter holds in its body: t[3] is the last element that is read.
// RUN: %lanewise opt --inline-entry-points-exhaustive --ssa-rewrite --eliminate-dead-code-aggressive --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --branch-to-predication=always --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK-COUNT-3: remark: flattened {{branch|switch}}{{.*}} [branch-to-predication:flattened]
// CODE-COUNT-3: = OpSelect
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
void main() {
  uint g = gl_GlobalInvocationID.x;
  uint t[4];
  for (uint i = 0u; i < 4u; ++i) t[i] = i * i;
  uint m = a[g], r = 0u;
  for (uint i = 0u; i < 4u; ++i)
    if ((m >> i & 1u) != 0u) r += t[i];
  for (int i = 3; i >= 0; --i)
    if ((m >> i & 16u) != 0u) r ^= t[i] * 3u;
  for (uint i = 0u; i < 4u; ++i)
    if ((m >> i & 256u) != 0u) r += m / (i + 1u); // never 0
  b[g] = r;
}
