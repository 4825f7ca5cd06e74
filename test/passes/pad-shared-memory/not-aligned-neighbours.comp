#version 430
// A gap may stand between neighbours that start anywhere: each has a map of its own.
//
// RUN: %lanewise opt %s --target=nvidia -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// RUN: FileCheck %s < %t.spvasm
// REMARK: padded 's' from [512] to [512] with a gap of 1 after every 32
// REMARK: outputs equal
//
// CHECK:         OpControlBarrier
// CHECK-COUNT-3: OpShiftRightLogical
//
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer In { uint src[]; };
layout(binding = 1) writeonly buffer Out { uint dst[]; };
shared uint s[512];
void main() {
  const uint t = gl_LocalInvocationID.x;
  for (uint n = 0; n < 16; ++n) s[n * 32 + t] = src[n * 32 + t];
  barrier();
  uint sum = 0;
  for (uint n = 0; n < 12; n += 3) {
    const uint at = t * 16 + n;
    sum += s[at] + 3 * s[at + 1] + 5 * s[at + 2];
  }
  dst[gl_GlobalInvocationID.x] = sum;
}
