// What was tested is the value of the iteration before.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck --allow-empty %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// CHECK-NOT: eliminate-redundant-checks:{{removed|simplified}}
// CODE: {{= }}OpULessThan{{ }}
// CODE: {{= }}OpULessThan{{ }}
// CODE: {{= }}OpULessThan{{ }}
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
layout(push_constant) uniform Push { uint n, m; };
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;
  bool wasSmall = false;
  uint v = n;
  for (uint r = 0u; r < m; ++r) {
    if (wasSmall) b[t] = v < 5u ? 1u : 2u;
    if (v < 5u) wasSmall = true; else wasSmall = false;
    v = a[r];
  }
}
