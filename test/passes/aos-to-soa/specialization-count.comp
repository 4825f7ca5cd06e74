#version 430
// The number of tiles follows the specialization constant, rounded up.
//
// RUN: %lanewise opt %s --aos-to-soa=aosoa:32 -S -o %t.spvasm 2> /dev/null
// RUN: FileCheck %s < %t.spvasm
// RUN: spirv-as --target-env vulkan1.2 %t.spvasm -o %t.spv && spirv-val --target-env vulkan1.2 %t.spv
// RUN: %lanewise opt %s --aos-to-soa=aosoa:32 --verify --interpreter-budget=0.2 --device=cpu --no-timing --remarks=none -o %t.v.spv 2>&1 | FileCheck --check-prefix=EQUAL %s
//
// CHECK: %[[LAST:.*]] = OpSpecConstantOp %int ISub %count %int_1
// CHECK: %[[TILES:.*]] = OpSpecConstantOp %int UDiv %[[LAST]] %int_32
// CHECK: %[[LENGTH:.*]] = OpSpecConstantOp %int IAdd %[[TILES]] %int_1
// CHECK: OpTypeArray %Cell_tile %[[LENGTH]]
// EQUAL: outputs equal
layout(constant_id = 3) const int count = 1000;
struct Cell { float a; uint kind; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { Cell c[count]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  c[i].a = float(c[i].kind);
}
