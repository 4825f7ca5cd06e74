// A case knows its literal, and the default that it is none of them.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK-DAG: comparison is always true: one side is 3 to 4, the other 5
// CHECK-DAG: comparison is always true: one side is 2 to 4294967295, the other 1
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
layout(push_constant) uniform Push { uint n, m; };
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;
  uint k = n;
  switch (k) {
  case 3u:
  case 4u:
    b[t] = k < 5u ? 1u : 2u;
    break;
  case 0u:
  case 1u:
    b[t] = 9u;
    break;
  default:
    b[t] = k > 1u ? 3u : 4u;
  }
}
