// What others may have written between two reads is read again.
// RUN: %lanewise opt %s -o %t.in.spv
// RUN: %lanewise opt %t.in.spv --inline --sroa --mem2reg --gvn --adce -o %t.out.spv
// RUN: spirv-dis %t.out.spv | FileCheck %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs
// CHECK: OpISub %uint %uint_63
// CHECK: [[CELL:%[0-9]+]] = OpAccessChain %_ptr_Workgroup_uint %tile
// CHECK: OpLoad %uint [[CELL]]
// CHECK: OpControlBarrier
// CHECK: OpLoad %uint [[CELL]]
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { uint data[]; };
shared uint tile[64];
void main() {
  uint i = gl_LocalInvocationIndex;
  tile[i] = data[gl_GlobalInvocationID.x];
  barrier();
  uint before = tile[63u - i];
  barrier();
  tile[i] = before + 1u;
  barrier();
  data[gl_GlobalInvocationID.x] = before ^ tile[63u - i];
}
