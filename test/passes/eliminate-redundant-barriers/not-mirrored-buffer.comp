// A storage buffer that is read mirrored: fence and barrier become one, with the fence's scope. No shared
// memory is touched, so it goes out of the semantics.
// RUN: %lanewise opt --inline-entry-points-exhaustive --ssa-rewrite --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-barriers --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: merged a memory barrier: no access between it and the control barrier at line [[#]], which now has the scope and semantics of both
// CHECK: dropped shared memory from the semantics of a control barrier
// CHECK: kept a control barrier: the store to 'c' at line [[#]] and the load of 'c' at line
// CODE-NOT: {{^ *}}OpMemoryBarrier
// CODE: {{^ *}}OpControlBarrier %uint_2 %uint_1 %uint_72
// CODE-NOT: {{^ *}}Op{{Control|Memory}}Barrier
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) restrict readonly buffer A { float a[]; };
layout(binding = 1) restrict writeonly buffer B { float b[]; };
layout(binding = 2) restrict buffer C { float v[]; } c;
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;
  c.v[g] = a[g];
  memoryBarrierBuffer();
  barrier();
  b[g] = c.v[(g & ~63) + 63 - t];
}
