// A neighbour whose memory scope ends at the workgroup announces nothing to others: it goes, not the wider one.
// RUN: %lanewise opt --inline-entry-points-exhaustive --ssa-rewrite --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-barriers --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// CHECK: kept a control barrier: other {{workgroups|invocations}} may rely on the store to 'c' at line [[#]] coming before the atomic on 'd'
// CODE: {{^ *}}OpControlBarrier %{{u?int}}_2 %{{u?int}}_1 %{{u?int}}_72
// CODE-NOT: {{^ *}}Op{{Control|Memory}}Barrier
#version 430
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
layout(binding = 0) restrict readonly buffer A { float a[]; };
layout(binding = 1) restrict writeonly buffer B { float b[]; };
layout(binding = 2) restrict buffer C { float part[]; } c;
layout(binding = 3) restrict buffer D { uint done; } d;
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;
  c.part[g] = a[g];
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
  float x = c.part[g];
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
  if (t == 0) atomicAdd(d.done, 1);
  b[g] = x;
}
