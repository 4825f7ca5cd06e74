// What a physical pointer reaches may be anything.
// RUN: %lanewise opt --inline-entry-points-exhaustive --ssa-rewrite --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-barriers --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// CHECK: kept a control barrier: the store to an unknown buffer
// CODE-COUNT-1: {{^ *}}Op{{Control|Memory}}Barrier
// CODE-NOT: {{^ *}}Op{{Control|Memory}}Barrier
#version 430
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 64) in;
layout(binding = 0) restrict readonly buffer A { float a[]; };
layout(binding = 1) restrict writeonly buffer B { float b[]; };
layout(buffer_reference, std430) buffer Pointer { float v[]; };
layout(push_constant) uniform P { Pointer p; };
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;
  p.v[g] = a[g];
  memoryBarrierBuffer();
  barrier();
  b[g] = p.v[g];
}
