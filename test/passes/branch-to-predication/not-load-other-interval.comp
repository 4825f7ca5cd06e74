// The same element was read before, but a barrier stands in between.
// RUN: %lanewise opt --inline-entry-points-exhaustive --ssa-rewrite --eliminate-dead-code-aggressive --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --branch-to-predication --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: missed: kept {{branch|switch}}{{.*}}the load is not proved{{.*}}[branch-to-predication:load]
// CODE: {{^ *}}OpBranchConditional
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
shared uint s[64];
void main() {
  uint g = gl_GlobalInvocationID.x;

  uint t = gl_LocalInvocationIndex, o = t ^ 1u, x = a[g];
  s[t] = x;
  barrier();
  uint y = s[o];
  barrier();
  s[t] = y + 1u;
  barrier();
  if ((x & 1u) != 0u) y += s[o];
  b[g] = y;
}
