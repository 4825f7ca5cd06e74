// Whoever comes to the one of two adjacent barriers comes to the other, also where it is not proved that all do.
// RUN: %lanewise opt --inline-entry-points-exhaustive --ssa-rewrite --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-barriers --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: kept a control barrier: it may be in divergent control flow
// CHECK: merged a control barrier: no access between it and the control barrier at line [[#]]
// CODE: {{^ *}}OpControlBarrier %{{u?int_2}} %{{u?int_1}} %{{u?int_328}}
// CODE-NOT: {{^ *}}Op{{Control|Memory}}Barrier
#version 430
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
layout(binding = 0) restrict readonly buffer A { float a[]; };
layout(binding = 1) restrict writeonly buffer B { float b[]; };
shared float s[64];
layout(binding = 2) restrict buffer C { float v[]; } c;
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;
  if (a[g & ~63u] > 0) { // the same for all, which nothing shows
    s[t] = a[g];
    c.v[g] = a[g];
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
    barrier();
    b[g] = s[63 - t] + c.v[(g & ~63) + 63 - t];
  }
}
