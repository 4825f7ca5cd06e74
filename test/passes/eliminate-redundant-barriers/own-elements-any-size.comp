// Elements that are an invocation's own however large the workgroup is.
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
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(binding = 0) restrict readonly buffer A { float a[]; };
layout(binding = 1) restrict writeonly buffer B { float b[]; };
layout(push_constant) uniform P { uint k; };
shared float s[1024], v[1024];
shared struct { float x, y; } u[1024];
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;
  s[t] = a[g];
  barrier();
  float x = s[t] + 1; // itself
  u[1023 - t].x = x;
  barrier();
  x = u[1023 - t].x; // backwards
  v[5 * t + k] = x;
  barrier();
  b[g] = v[5 * t + k]; // an odd stride, from somewhere on
}
