#version 430
// An array of descriptors: each is a buffer of the new layout; NonUniform stays where it was needed.
// (Not run: scenarios have no arrays of descriptors.)
//
// RUN: %lanewise opt %s -O --aos-to-soa=aosoa:4 -S -o %t.spvasm 2> /dev/null
// RUN: FileCheck %s < %t.spvasm
// RUN: spirv-as --target-env vulkan1.2 %t.spvasm -o %t.spv && spirv-val --target-env vulkan1.2 %t.spv
//
// CHECK: OpDecorate %[[D:[0-9]+]] NonUniform
// CHECK: OpDecorate %[[P:[0-9]+]] NonUniform
// CHECK: %[[BLOCKS:.*]] = OpTypeArray %Cells_0 %uint_8
// CHECK: %[[P]] = OpAccessChain %_ptr_StorageBuffer_float %cells %[[D]] %int_0 %{{.*}} %uint_0 %{{.*}}
// CHECK: OpAccessChain %_ptr_StorageBuffer_Cells_0 %cells
// CHECK: OpArrayLength %uint
#extension GL_EXT_nonuniform_qualifier : require
struct Cell { float a; uint kind; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { Cell c[]; } cells[8];
void main() {
  uint i = gl_GlobalInvocationID.x;
  cells[nonuniformEXT(i & 7)].c[i].a = 1;
  if (cells[3].c.length() > i) cells[3].c[i].kind = i;
}
