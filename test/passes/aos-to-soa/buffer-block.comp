#version 430
// The old form of storage buffers: BufferBlock in the Uniform class.
//
// RUN: %lanewise opt %s --target-env=vulkan1.0 -O --aos-to-soa=aosoa:32 -S -o %t.spvasm 2> /dev/null
// RUN: FileCheck %s < %t.spvasm
// RUN: spirv-as --target-env vulkan1.0 %t.spvasm -o %t.spv && spirv-val --target-env vulkan1.0 %t.spv
// RUN: %lanewise opt %s --target-env=vulkan1.0 -O --aos-to-soa=aosoa:32 --verify --interpreter-budget=0.2 --device=cpu --no-timing --remarks=none -o %t.v.spv 2>&1 | FileCheck --check-prefix=EQUAL %s
//
// CHECK-DAG: OpDecorate %Cells{{.*}} BufferBlock
// CHECK: OpAccessChain %_ptr_Uniform_float %_ %int_0 %{{.*}} %uint_0 %{{.*}}
// EQUAL: outputs equal
struct Cell { float a; uint kind; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { Cell c[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  c[i].a = float(c[i].kind);
}
