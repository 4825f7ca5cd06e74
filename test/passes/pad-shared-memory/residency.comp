#version 430
// Two workgroups of 16 KiB fit a core's 32 KiB; with longer rows only one would. A swizzle costs arithmetic and
// no memory: here it is cheaper.
//
// RUN: %lanewise opt %s --target=%S/Inputs/small-core.toml -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// REMARK: swizzled 'tile' from [128][32] to
// REMARK: outputs equal
// RUN: %lanewise opt %s --target=generic -O -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck --check-prefix=UNKNOWN %s < %t.remarks
// UNKNOWN: padded 'tile' from [128][32] to [128][33]
layout(local_size_x = 64, local_size_y = 4) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
shared float tile[128][32];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  for (uint i = 2 * y + x / 32; i < 128; i += 8) tile[i][x & 31] = src[i * 32 + (x & 31)];
  barrier();
  for (uint i = 0; i < 128; i += 64)
    for (uint k = y; k < 32; k += 4) dst[k * 128 + i + x] = tile[i + x][k];
}
