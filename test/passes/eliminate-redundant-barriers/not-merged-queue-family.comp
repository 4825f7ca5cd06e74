// llvmpipe does not wait at a control barrier of memory scope QueueFamily, so none is made of two; of Device scope it is.
// REQUIRES: lavapipe
// RUN: %lanewise opt --target-env=vulkan1.2 -g %s -o %t.in.spv
// RUN: %lanewise opt -O --target-env=vulkan1.2 --remarks=none %t.in.spv -o %t.spv
// RUN: spirv-val --target-env vulkan1.2 %t.spv
// RUN: %lanewise verify %t.in.spv %t.spv --device=cpu --no-timing | FileCheck %s --check-prefix=EQUAL
// EQUAL: outputs equal
// RUN: spirv-dis %t.spv | FileCheck %s
// CHECK: OpMemoryBarrier %uint_5 %uint_72
// CHECK-NEXT: OpControlBarrier %uint_2 %uint_2 %uint_264
//
// Nor does one stand in for the barrier behind it.
// RUN: sed 's/memoryBarrierBuffer/controlBarrier(2, 5, 0x140, 0x8); barrier/' %s > %t.wide.comp
// RUN: %lanewise opt --target-env=vulkan1.2 -g %t.wide.comp -o %t.wide.in.spv
// RUN: %lanewise opt -O --target-env=vulkan1.2 --remarks=none %t.wide.in.spv -o %t.wide.spv
// RUN: %lanewise verify %t.wide.in.spv %t.wide.spv --device=cpu --no-timing | FileCheck %s --check-prefix=EQUAL
//
// RUN: sed '/vulkan_memory_model/d' %s > %t.comp
// RUN: %lanewise opt -O --target-env=vulkan1.2 --remarks=none %t.comp -o - -S | FileCheck %s --check-prefix=DEVICE
// DEVICE-NOT: OpMemoryBarrier
// DEVICE: OpControlBarrier %uint_2 %uint_1 %uint_328
#version 430
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer X { uint x[]; };
layout(binding = 1) buffer Y { uint y[]; };
shared uint s[64];
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_WorkGroupID.x * 64 + t;
  s[t] = x[g];
  barrier();
  uint other = s[63 - t];
  memoryBarrierBuffer();
  barrier();
  s[t] = other * 3 + 1;
  barrier();
  y[g] = other + s[t ^ 9];
}
