#version 430
// Integers that are declared to fit share a word: read by extracts, signed ones sign-extended; written
// by inserts where one invocation owns the element.
//
// RUN: %lanewise opt --remarks=all %s -O --narrow-fields=Cells.kind:4,Cells.age:7,Cells.drift:5 --layout-manifest=%t.json -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck %s < %t.spvasm
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// RUN: FileCheck --check-prefix=JSON %s < %t.json
// RUN: spirv-as --target-env vulkan1.2 %t.spvasm -o %t.spv && spirv-val --target-env vulkan1.2 %t.spv
// RUN: %lanewise opt %s -O --narrow-fields=Cells.kind:4,Cells.age:7,Cells.drift:5 --verify --interpreter-budget=0.2 --device=cpu --no-timing --remarks=none -o %t.v.spv 2>&1 | FileCheck --check-prefix=EQUAL %s
//
// CHECK-DAG: OpDecorate %{{.*}} ArrayStride 8
// CHECK: OpLoad %uint
// CHECK: OpBitFieldUExtract %uint %{{.*}} %uint_0 %uint_4
// CHECK: OpBitcast %int
// CHECK: OpBitFieldSExtract %int %{{.*}} %uint_11 %uint_5
// CHECK: UMin
// CHECK: %[[OLD:[0-9]+]] = OpLoad %uint
// CHECK: %[[NEW:.*]] = OpBitFieldInsert %uint %[[OLD]] %{{.*}} %uint_4 %uint_7
// CHECK: OpStore %{{.*}} %[[NEW]]
// REMARK: group 0: kind (bits 0 to 3)
// REMARK: group 0: age (bits 4 to 10)
// REMARK: group 0: drift (bits 11 to 15)
// JSON: "bits": 4
// EQUAL: outputs equal
struct Cell { uint kind; float energy; uint age; int drift; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { Cell c[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  c[i].energy = float(c[i].kind) + float(c[i].drift);
  if (c[i].energy > 2) c[i].age = min(c[i].age + 1, 100u);
}
