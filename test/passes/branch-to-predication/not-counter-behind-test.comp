// One more than the test leaves in range, and a bound that a specialization constant decides.
// RUN: %lanewise opt --inline-entry-points-exhaustive --ssa-rewrite --eliminate-dead-code-aggressive --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --spec-const=0:4 --branch-to-predication=always --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: missed: kept branch{{.*}}[branch-to-predication:load]
// CHECK: partly flattened branch{{.*}}; OpLoad at line [[#]] stays in the branch
// CHECK: missed: kept branch{{.*}}[branch-to-predication:load]
// CHECK: missed: kept {{branch|switch}}{{.*}}[branch-to-predication:division]
// CODE-COUNT-4: {{^ *}}OpSelectionMerge
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
layout(constant_id = 0) const uint k = 4u;
void main() {
  uint g = gl_GlobalInvocationID.x;
  uint t[4];
  for (uint i = 0u; i < 4u; ++i) t[i] = i * i;
  uint m = a[g], r = 0u;
  for (uint i = 0u; i < 5u; ++i)
    if ((m >> i & 1u) != 0u && i < 4u) r += t[i];
  for (uint i = 0u; i < 4u; ++i)
    if ((m >> i & 1u) != 0u && i < 3u) r += t[i + 1u];
  for (uint i = 0u; i < k; ++i)
    if ((m >> i & 16u) != 0u) r ^= t[i] * 3u;
  for (uint i = 0u; i < 4u; ++i)
    if ((m >> i & 256u) != 0u && i > 0u) r += m / i;
  b[g] = r;
}
