#version 430
// A struct that is stored as a whole writes whole words, at any index, and reads nothing. With
// --aos-to-soa the words are parted like other fields.
//
// RUN: %lanewise opt --remarks=all %s -O --narrow-fields=To.kind:4,To.age:7 --aos-to-soa=aosoa -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck %s < %t.spvasm
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// RUN: spirv-as --target-env vulkan1.2 %t.spvasm -o %t.spv && spirv-val --target-env vulkan1.2 %t.spv
// RUN: %lanewise opt %s -O --narrow-fields=To.kind:4,To.age:7 --aos-to-soa=aosoa --verify --interpreter-budget=0.2 --device=cpu --no-timing --remarks=none -o %t.v.spv 2>&1 | FileCheck --check-prefix=EQUAL %s
//
// CHECK: %[[A:.*]] = OpBitFieldInsert %uint %uint_0 %{{.*}} %uint_0 %uint_4
// CHECK: %[[B:.*]] = OpBitFieldInsert %uint %[[A]] %{{.*}} %uint_4 %uint_7
// CHECK: OpStore %{{.*}} %[[B]]
// REMARK: kind (bits 0 to 3), written
// EQUAL: outputs equal
struct Cell { uint kind; float energy; uint age; };
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer From { Cell from[]; };
layout(binding = 1) buffer To { Cell to[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  Cell cell = from[i];
  cell.kind &= 15;
  cell.age &= 127;
  to[i ^ 1] = cell;
}
