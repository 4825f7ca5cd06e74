#version 430
// A tile in an array of one dimension: where it is proved in which row an index is, its rows become longer, and no arithmetic is added.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o - 2> %t.remarks | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// CHECK: OpTypeArray %float %uint_1055
// CHECK-NOT: OpShiftRightLogical
// CHECK: [[ROW:%[a-z_0-9]+]] = OpIMul %uint [[Y:%[a-z_0-9]+]] %uint_33
// CHECK: [[I:%[a-z_0-9]+]] = OpIAdd %uint [[ROW]] [[X:%[a-z_0-9]+]]
// CHECK: OpAccessChain %_ptr_Workgroup_float %tile [[I]]
// CHECK: [[COLUMN:%[a-z_0-9]+]] = OpIMul %uint [[X]] %uint_33
// CHECK: [[J:%[a-z_0-9]+]] = OpIAdd %uint [[COLUMN]] [[Y]]
// CHECK: OpAccessChain %_ptr_Workgroup_float %tile [[J]]
// CHECK-NOT: OpShiftRightLogical
// REMARK: padded 'tile' from [1024] to [1024] with a gap of 1 after every 32: conflict degree 32 -> 1, 124 more bytes
// REMARK-NEXT: line 25: Store of 4 bytes, degree 1 -> 1, weight 1
// REMARK-NEXT: line 27: Load of 4 bytes, degree 32 -> 1, weight 1
// REMARK: outputs equal
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float tile[1024];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y * 32 + x] = src[y * 32 + x];
  barrier();
  dst[y * 32 + x] = tile[x * 32 + y];
}
