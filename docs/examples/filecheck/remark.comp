// The remark names the line of the access that needed the most turns.
// RUN: %lanewise opt --ssa-rewrite --pad-shared-memory --target=nvidia %s -o /dev/null 2>&1 | FileCheck %s
#version 450
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) buffer Data { float a[]; };
shared float tile[32][32];

void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y][x] = a[y * 32 + x];
  barrier();
  // CHECK: remark.comp:[[# @LINE + 1]]: remark: padded 'tile' from [32][32] to [32][33]: conflict degree 32 -> 1
  a[y * 32 + x] = tile[x][y];
}
