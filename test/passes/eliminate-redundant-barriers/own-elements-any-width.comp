// Only the width of the workgroup is left open: the first component of an id tells its invocations apart.
// RUN: %lanewise opt --inline-entry-points-exhaustive --ssa-rewrite --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-barriers --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK-COUNT-3: removed a control barrier: no two invocations access the same element across it
// CHECK-NOT: missed
// CODE-NOT: {{^ *}}OpControlBarrier
#version 430
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x_id = 0, local_size_y = 1, local_size_z = 1) in;
layout(binding = 0) restrict readonly buffer A { float a[]; };
layout(binding = 1) restrict writeonly buffer B { float b[]; };
layout(binding = 2) restrict buffer C { float c[]; };
shared float s[1024], v[1024];
layout(push_constant) uniform P { uint k; };
void main() {
  uint t = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
  s[t] = a[g];
  barrier();
  c[g] = s[t];
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
  float x = c[g];
  for (uint i = 0; i < 3; ++i) {
    v[3 * t + k] += x;
    barrier();
    x += v[3 * t + k];
  }
  b[g] = x;
}
