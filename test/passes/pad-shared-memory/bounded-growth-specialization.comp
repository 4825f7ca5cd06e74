#version 450
// With extents by specialization constants an array is never flattened. By extents, rows of 9 (3 by 3) bring the degree
// down to 1 at more than twice the memory, which is out of bounds; 2 by 3 halve it for half of the memory.
//
// RUN: %lanewise opt %s --target=nvidia --spec-const=7:2 -O --verify --validation-layer --no-timing -S -o - 2> %t.remarks | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// CHECK: OpSpecConstantOp %uint IAdd %N
// REMARK: padded 'tile' from [32][2][2] to [32]{{\[2\]\[3\]|\[3\]\[2\]}}: conflict degree 4 -> 2, 256 more bytes
// REMARK: outputs equal
layout(constant_id = 7) const uint N = 2;
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer In { uint src[]; };
layout(binding = 1) writeonly buffer Out { uint dst[]; };
shared uint tile[32][N][N];
void main() {
  uint x = gl_LocalInvocationID.x;
  for (uint i = 0; i < 4; i++) tile[x][i >> 1][i & 1] = src[4 * x + i];
  barrier();
  dst[x] = tile[31 - x][0][0] + tile[31 - x][1][1];
}
