#version 450
// A tile in an array of one dimension: every index gets the pads of the rows before it, whoever uses it.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o - 2> %t.remarks | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// CHECK: OpTypeArray %float %uint_1055
// CHECK: [[PADS:%[a-z_0-9]+]] = OpShiftRightLogical %uint [[I:%[a-z_0-9]+]] %uint_5
// CHECK: [[J:%[a-z_0-9]+]] = OpIAdd %uint [[I]] [[PADS]]
// CHECK: OpAccessChain %_ptr_Workgroup_float %tile [[J]]
// REMARK: padded 'tile' from [1024] to [1024] with a gap of 1 after every 32: conflict degree 32 -> 1, 124 more bytes
// REMARK-NEXT: line 20: Store of 4 bytes, degree 1 -> 1, weight 1
// REMARK-NEXT: line 22: Load of 4 bytes, degree 32 -> 1, weight 1
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
