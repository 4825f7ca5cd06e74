#version 450
// The number of elements is a specialization constant, and stays one.
//
// RUN: %lanewise opt %s --aos-to-soa=soa -S -o %t.spvasm 2> /dev/null
// RUN: FileCheck %s < %t.spvasm
// RUN: spirv-as --target-env vulkan1.2 %t.spvasm -o %t.spv && spirv-val --target-env vulkan1.2 %t.spv
// RUN: %lanewise opt %s --aos-to-soa=soa --verify --device=cpu --no-timing --remarks=none -o %t.v.spv 2>&1 | FileCheck --check-prefix=EQUAL %s
//
// CHECK: OpDecorate %count SpecId 3
// CHECK: %[[N:.*]] = OpBitcast %uint %count
// CHECK: OpIAdd %uint %[[N]]
// EQUAL: outputs equal
layout(constant_id = 3) const int count = 1000;
struct Cell { float a; uint kind; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { Cell c[count]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (c[i].kind == 3) c[i].a = float(c[i].kind);
}
