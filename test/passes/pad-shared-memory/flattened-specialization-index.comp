#version 430
// An index that is a specialization constant is multiplied in the module, not here: another value must still work.
//
// RUN: %lanewise opt %s --target=nvidia --spec-const=7:1 -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o - 2> %t.remarks | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// CHECK: [[K:%K]] = OpSpecConstant %uint 1
// CHECK: {{OpIMul|OpSpecConstantOp}} {{.*}}[[K]]
// REMARK: flattened 'tile'
// REMARK: outputs equal
layout(constant_id = 7) const uint K = 1;
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer In { uint src[]; };
layout(binding = 1) writeonly buffer Out { uint dst[]; };
shared uint tile[32][2][2];
void main() {
  uint x = gl_LocalInvocationID.x;
  for (uint i = 0; i < 4; i++) tile[x][i >> 1][i & 1] = src[4 * x + i];
  barrier();
  dst[x] = tile[31 - x][K][0] + tile[31 - x][1][1];
}
