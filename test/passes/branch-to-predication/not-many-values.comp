// The arms compute many values that others want as well: each takes a select of its own.
// RUN: %lanewise opt --inline-entry-points-exhaustive --ssa-rewrite --eliminate-dead-code-aggressive --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --branch-to-predication --target=nvidia --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: missed: kept {{branch|switch}}{{.*}}estimated cost {{[0-9.]+}} flattened{{.*}}[branch-to-predication:too-costly]
// CODE: {{^ *}}OpBranchConditional
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
void main() {
  uint g = gl_GlobalInvocationID.x;

  uint s = a[g], p = s >> 1, q = p * 3u, r = p * 5u, t = p * 7u, u = p * 9u, v = p * 11u;
  if ((s & 1u) != 0u) { p += s; q ^= p; r += q; t ^= r; u += t; v ^= u; }
  else { p ^= v; q -= p; r ^= q; t -= r; u ^= t; v -= u; }
  b[g] = p * 31u + q * 37u + r * 41u + t * 43u + u * 47u + v;
}
