#version 430
// Atomics on elements are accesses like any other.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck %s < %t.spvasm
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// CHECK: OpTypeArray %uint %uint_33
// REMARK: padded 'counts' from [32][32] to [32][33]
// REMARK: AtomicIAdd of 4 bytes, degree 32 -> 1
// REMARK: outputs equal
layout(local_size_x = 32, local_size_y = 4) in;
layout(binding = 0) writeonly buffer Out { uint dst[]; };
shared uint counts[32][32];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  for (uint i = y; i < 32; i += 4) counts[i][x] = 0;
  barrier();
  for (uint i = 0; i < 8; i++) atomicAdd(counts[x][i + 8 * y], x + i);
  barrier();
  for (uint i = y; i < 32; i += 4) dst[i * 32 + x] = counts[i][x];
}
