#version 430
// With 64 there is room for rows of 33; with 384 the original fits and they would not. A swizzle keeps the size: it is
// taken where it may be, and not where only a pad is asked for.
//
// RUN: %lanewise opt -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all %t.in.spv --target=nvidia -O --spec-const=7:64 --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o - 2> %t.remarks | FileCheck %s
// RUN: FileCheck --check-prefix=SWIZZLED %s < %t.remarks
// CHECK: %N = OpSpecConstant %uint 64
// CHECK: OpSpecConstantOp %uint IMul %N %uint_32
// CHECK: OpBitwiseXor
// SWIZZLED: swizzled 'tile' from [64][32]
// SWIZZLED: outputs equal
//
// RUN: %lanewise opt --remarks=all %t.in.spv --target=nvidia --inline-entry-points-exhaustive --ssa-rewrite --pad-shared-memory=pad --spec-const=7:64 -S -o - 2>&1 | FileCheck --check-prefix=PAD %s
// PAD: did not pad 'tile[64][32]': {{.*}}freeze it with --set-spec-const-default-value='7:64' --freeze-spec-const before this pass [pad-shared-memory:size-not-frozen]
//
// Frozen, the value holds for every use of the module.
// RUN: %lanewise opt --remarks=all %t.in.spv --target=nvidia --set-spec-const-default-value='7:64' --freeze-spec-const -O -S -o - 2>&1 | FileCheck --check-prefix=FROZEN %s
// FROZEN: padded 'tile' from [64][32] to [64][33]
layout(constant_id = 7) const uint N = 64;
layout(local_size_x = 32, local_size_y = 8) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float tile[N][32];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  for (uint r = y; r < N; r += 8) tile[r][x] = src[r * 32 + x];
  barrier();
  for (uint c = y; c < 32; c += 8) dst[c * 32 + x] = tile[x][c] + tile[x + N - 32][c];
}
