#version 430
// One struct for each lane: eight words, so every fourth lane shares a bank. A word more at the end of the struct
// spreads them; its members and their atomics stay.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o - 2> %t.remarks | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// CHECK: [[FLAGS:%[a-z_0-9]+]] = OpTypeArray %uint %uint_8
// CHECK: [[STRUCT:%[a-zA-Z_0-9]+]] = OpTypeStruct [[FLAGS]] %uint
// CHECK: OpTypeArray [[STRUCT]] %uint_256
// REMARK: padded 's' from [256]{.flags[8]} to [256]{.flags[8], +1 word}: conflict degree 8 -> 1, 1024 more bytes
// REMARK-NEXT: line 21: Store of 4 bytes, degree 8 -> 1, weight 8
// REMARK: AtomicIAdd of 4 bytes, degree 8 -> 1, weight 8
// REMARK: outputs equal
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer In { uint src[]; };
layout(binding = 1) writeonly buffer Out { uint dst[]; };
struct Counters { uint flags[8]; };
shared Counters s[256];
void main() {
  uint t = gl_LocalInvocationID.x;
  for (uint k = 0; k < 8; k++) s[t].flags[k] = t;
  barrier();
  for (uint k = 0; k < 8; k++) atomicAdd(s[(t + 1) & 255].flags[k], src[t * 8 + k]);
  barrier();
  for (uint k = 0; k < 8; k++) dst[t * 8 + k] = s[t].flags[k];
}
