#version 430
// The size of the workgroup has a maximum: rows of five fit for all workgroups that the target has, beside what is
// literal and beside another array of the same length.
//
// RUN: %lanewise opt %s --target=nvidia -O --spec-const=7:128 --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o - 2> %t.remarks | FileCheck %s
// RUN: FileCheck --check-prefix=PADDED %s < %t.remarks
// CHECK: OpDecorate %[[N:.*]] SpecId 7
// CHECK: %[[N]] = OpSpecConstant %uint 1
// PADDED: padded 'tile' from [128][4] to [128][5]: conflict degree 4 -> 1
// PADDED: outputs equal
//
// 1024 invocations would need more than 16 KiB; no more than 512 do not.
// RUN: printf '[shared-memory]\nmax-bytes = 16384\n[cost]\narithmetic = 0.25\n' > %t.16.toml && printf '[workgroup]\nmax-invocations = 512\n[shared-memory]\nmax-bytes = 16384\n' > %t.512.toml
// RUN: %lanewise opt %s --target=%t.16.toml -O --spec-const=7:128 -o %t.spv 2>&1 | FileCheck --check-prefix=SWIZZLED %s
// SWIZZLED: swizzled 'tile' from [128][4]
// RUN: %lanewise opt %s --target=%t.512.toml -O --spec-const=7:128 -o %t.spv 2>&1 | FileCheck --check-prefix=PADDED512 %s
// PADDED512: padded 'tile' from [128][4] to [128][5]
layout(local_size_x_id = 7) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float tile[gl_WorkGroupSize.x][4];
shared float more[gl_WorkGroupSize.x];
void main() {
  uint x = gl_LocalInvocationID.x;
  for (uint n = 0; n < 4; ++n) tile[x][n] = src[4 * gl_GlobalInvocationID.x + n];
  more[x] = src[x];
  barrier();
  const uint last = gl_WorkGroupSize.x - 1;
  dst[gl_GlobalInvocationID.x] = more[last - x] + tile[last - x][0] * tile[last - x][1] + tile[last - x][2] * tile[last - x][3];
}
