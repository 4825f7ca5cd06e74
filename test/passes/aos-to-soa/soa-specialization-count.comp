#version 430
// The number of elements is a specialization constant and stays one, but where runs start is told by the buffer that is
// bound: by its length the host lays them out, and it may be longer.
//
// RUN: %lanewise opt %s --aos-to-soa=soa -S -o %t.spvasm 2> /dev/null
// RUN: FileCheck %s < %t.spvasm
// RUN: spirv-as --target-env vulkan1.2 %t.spvasm -o %t.spv && spirv-val --target-env vulkan1.2 %t.spv
// RUN: %lanewise opt %s --aos-to-soa=soa --verify --interpreter-budget=0.2 --device=cpu --no-timing --remarks=none -o %t.v.spv 2>&1 | FileCheck --check-prefix=EQUAL %s
//
// CHECK: OpDecorate %count SpecId 3
// CHECK: %[[BYTES:.*]] = OpArrayLength %uint
// CHECK: OpUDiv %uint %[[BYTES]]
// EQUAL: outputs equal
//
// 1000 elements by the shader, 1024 by the buffer.
// RUN: %lanewise opt %s --scenario=%S/Inputs/soa-specialization-count.toml --aos-to-soa=soa --verify --interpreter-budget=0.2 --device=cpu --no-timing --remarks=none -o %t.s.spv 2>&1 | FileCheck --check-prefix=EQUAL %s
layout(constant_id = 3) const int count = 1000;
struct Cell { float a; uint kind; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { Cell c[count]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (c[i].kind == 3) c[i].a = float(c[i].kind);
}
