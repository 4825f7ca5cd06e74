#version 430
// A map of indices costs arithmetic at every access, so what is left has to be 4%; the 3% or so that one column beside
// many rows would give are not enough. A pad that costs no arithmetic would be taken for them.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O -S -o - 2> %t.remarks | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// CHECK-NOT: OpBitwiseXor
// REMARK: did not pad 'tile[1024]': {{.*}} would save only {{[0-3]\.[0-9]}}% of its access cost
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { uint src[]; };
layout(binding = 1) writeonly buffer Out { uint dst[]; };
shared uint tile[1024];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y * 31 + (x + y)] = src[y * 32 + x]; // not proved to stay in one of the rows of 32
  barrier();
  uint sum = 0;
  for (uint i = 0; i < 56; i++) sum = sum * 3 + tile[(i & 31) * 31 + (x + (i & 31))];
  dst[y * 32 + x] = tile[x * 31 + (y + x)] + sum;
}
