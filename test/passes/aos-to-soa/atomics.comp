#version 430
// Atomics on fields stay atomics on the same types.
//
// RUN: %lanewise opt %s -O --aos-to-soa=aosoa -S -o %t.spvasm 2> /dev/null
// RUN: FileCheck %s < %t.spvasm
// RUN: spirv-as --target-env vulkan1.2 %t.spvasm -o %t.spv && spirv-val --target-env vulkan1.2 %t.spv
// RUN: %lanewise opt %s -O --aos-to-soa=aosoa --verify --interpreter-budget=0.2 --device=cpu --no-timing --remarks=none -o %t.v.spv 2>&1 | FileCheck --check-prefix=EQUAL %s
//
// CHECK: %[[P:.*]] = OpAccessChain %_ptr_StorageBuffer_uint %_ %int_0 %{{.*}} %uint_1 %{{.*}}
// CHECK: OpAtomicIAdd %uint %[[P]]
// EQUAL: outputs equal
struct Cell { float a; uint hits; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { Cell cells[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  atomicAdd(cells[i % 100].hits, 1u);
  cells[i].a = 1;
}
