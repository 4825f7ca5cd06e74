#version 430
// A tile in an array of one dimension, with indices of which it is not proved in which row they are (x is not less than 32, or
// what is added leaves the row): each gets the pads of the rows before it, whoever uses it.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o - 2> %t.remarks | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// CHECK: OpTypeArray %float %uint_1055
// CHECK: [[PADS:%[a-z_0-9]+]] = OpShiftRightLogical %uint [[I:%[a-z_0-9]+]] %uint_5
// CHECK: [[J:%[a-z_0-9]+]] = OpIAdd %uint [[I]] [[PADS]]
// CHECK: OpAccessChain %_ptr_Workgroup_float %tile [[J]]
// REMARK: padded 'tile' from [1024] to [1024] with a gap of 1 after every 32: conflict degree 32 -> 1, 124 more bytes
// REMARK: outputs equal
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float tile[1024];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y * 31 + (x + y)] = src[y * 32 + x];
  barrier();
  dst[y * 32 + x] = tile[x * 31 + (y + x)];
}
