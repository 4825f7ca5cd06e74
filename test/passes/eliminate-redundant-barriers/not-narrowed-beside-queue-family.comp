// llvmpipe makes one barrier of a fence of scope QueueFamily and of a control barrier beside it that orders nothing, and does not wait
// at it: so a control barrier keeps a class of memory there, needed or not.
// REQUIRES: lavapipe
// RUN: %lanewise opt --target-env=vulkan1.2 -g %s -o %t.in.spv
// RUN: %lanewise opt -O --target-env=vulkan1.2 --remarks=none %t.in.spv -o %t.spv
// RUN: spirv-val --target-env vulkan1.2 %t.spv
// RUN: %lanewise verify %t.in.spv %t.spv --device=cpu --no-timing | FileCheck %s --check-prefix=EQUAL
// EQUAL: outputs equal
// RUN: spirv-dis %t.spv | FileCheck %s
// CHECK: OpMemoryBarrier %uint_5 %uint_72
// CHECK-NEXT: OpControlBarrier %uint_2 %uint_2 %uint_264
// CHECK-NEXT: OpMemoryBarrier %uint_5 %uint_72
//
// Of two classes one stays.
// RUN: sed 's/ barrier();/ controlBarrier(2, 2, 0x900, 0x8);/' %s > %t.two.comp
// RUN: %lanewise opt -O --target-env=vulkan1.2 --remarks=none %t.two.comp -o - -S | FileCheck %s
//
// Without such a fence none does.
// RUN: sed 's/memoryBarrierBuffer();/memoryBarrier(2, 0x40, 0x8);/g; s/ barrier();/ x = a[g]; barrier();/; s/^  d\[g\]/  uint x; d[g]/' %s > %t.none.comp
// RUN: %lanewise opt -O --target-env=vulkan1.2 --remarks=none %t.none.comp -o - -S | FileCheck %s --check-prefix=NONE
// NONE-NOT: OpControlBarrier %uint_2 %uint_2 %uint_264
#version 430
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) buffer O { uint o[]; };
layout(binding = 2) coherent buffer D { uint d[]; };
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_WorkGroupID.x * 64 + t;
  d[g] = a[g];
  memoryBarrierBuffer();
  barrier();
  memoryBarrierBuffer();
  o[g] = d[gl_WorkGroupID.x * 64 + 63 - t];
}
