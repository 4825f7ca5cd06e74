#version 430
// No gap stands between four neighbours, so what is added within them is added behind the map: one map for all four,
// and compilers put the constants into the instructions.
//
// RUN: %lanewise opt %s --target=nvidia -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// RUN: FileCheck %s < %t.spvasm
// REMARK: padded 's' from [512] to [512] with a gap of 1 after every 32
// REMARK: outputs equal
//
// CHECK:      OpControlBarrier
// CHECK:      OpShiftRightLogical %uint [[AT:%[0-9]+]] %uint_5
// CHECK-NEXT: [[MAPPED:%[0-9]+]] = OpIAdd %uint [[AT]]
// CHECK-NEXT: OpAccessChain %{{.*}} %s [[MAPPED]]
// CHECK:      OpIAdd %uint [[MAPPED]] %uint_1
// CHECK:      OpIAdd %uint [[MAPPED]] %uint_2
// CHECK:      OpIAdd %uint [[MAPPED]] %uint_3
// CHECK-NOT:  OpShiftRightLogical
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer In { uint src[]; };
layout(binding = 1) writeonly buffer Out { uint dst[]; };
shared uint s[512];
void main() {
  const uint t = gl_LocalInvocationID.x;
  for (uint n = 0; n < 16; ++n) s[n * 32 + t] = src[n * 32 + t];
  barrier();
  uint sum = 0;
  for (uint n = 0; n < 16; n += 4) {
    const uint at = t * 16 + n;
    sum += s[at] + 3 * s[at + 1] + 5 * s[at + 2] + 7 * s[at + 3];
  }
  dst[gl_GlobalInvocationID.x] = sum;
}
