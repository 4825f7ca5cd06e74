#version 430
// The number of elements is read from OpArrayLength, and a run is seen through a variable of its own
// type: where it starts is that number times what the runs before it take.
//
// RUN: %lanewise opt %s --target-env=vulkan1.2 -O --aos-to-soa=soa --layout-manifest=%t.json -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck %s < %t.spvasm
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// RUN: FileCheck --check-prefix=JSON %s < %t.json
// RUN: spirv-as --target-env vulkan1.2 %t.spvasm -o %t.spv && spirv-val --target-env vulkan1.2 %t.spv
// RUN: %lanewise opt %s --target-env=vulkan1.2 -O --aos-to-soa=soa --verify --interpreter-budget=0.2 --device=cpu --no-timing --remarks=none -o %t.v.spv 2>&1 | FileCheck --check-prefix=EQUAL %s
//
// CHECK: OpEntryPoint GLCompute %main "main" {{.*}}%cells %[[A:[0-9]+]] %[[K:[0-9]+]]
// CHECK-DAG: OpDecorate %[[A]] Binding 0
// CHECK-DAG: OpDecorate %[[K]] Binding 0
// CHECK: %[[PARTS:.*]] = OpArrayLength %uint %[[K]] 0
// CHECK: %[[N:.*]] = OpUDiv %uint %[[PARTS]] %uint_6
// REMARK: as one run of all elements per group
// JSON: "tile": null,
// EQUAL: outputs equal
struct Cell { uint kind; vec4 place; float a; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { uint head; Cell c[]; } cells;
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (cells.c[i].kind == cells.head) cells.c[i].a += 1;
  if (i > 3) cells.c[i - 2].place.x = 0;
}
