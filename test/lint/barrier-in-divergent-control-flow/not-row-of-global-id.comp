// A global id rounded to the workgroup's row is the same for all of it, however the rounding is written; so is
// where a loop ends that goes over whole rows, also backwards and in steps of the dispatch. Half a row parts them.
// RUN: %lanewise lint %s --rule=barrier-in-divergent-control-flow -DROW='gid.x/64' | count 0
// RUN: %lanewise lint %s --rule=barrier-in-divergent-control-flow -DROW='gid.x>>6' | count 0
// RUN: %lanewise lint %s --rule=barrier-in-divergent-control-flow -DROW='gid.x/192' | count 0
// RUN: %lanewise lint %s --rule=barrier-in-divergent-control-flow -DROW='(gid.x|63)' | count 0
// RUN: %lanewise lint %s --rule=barrier-in-divergent-control-flow -DROW='rows[gid.x>>7]' | count 0
// RUN: not %lanewise lint %s --rule=barrier-in-divergent-control-flow -DROW='gid.x/32' | FileCheck %s
// RUN: not %lanewise lint %s --rule=barrier-in-divergent-control-flow -DROW='gid.x/160' | FileCheck %s
// RUN: not %lanewise lint %s --rule=barrier-in-divergent-control-flow -DROW='(gid.x+1)/64' | FileCheck %s
// RUN: not %lanewise lint %s --rule=barrier-in-divergent-control-flow -DROW='(gid.x|31)' | FileCheck %s
// RUN: not %lanewise lint %s --rule=barrier-in-divergent-control-flow -DROW='rows[gid.x>>5]' | FileCheck %s
//
// RUN: %lanewise lint %s --rule=barrier-in-divergent-control-flow -DLAST=255 -DEND=0 -DSTEP=64 | count 0
// RUN: not %lanewise lint %s --rule=barrier-in-divergent-control-flow -DLAST=254 -DEND=0 -DSTEP=64 | FileCheck %s
// RUN: not %lanewise lint %s --rule=barrier-in-divergent-control-flow -DLAST=255 -DEND=1 -DSTEP=64 | FileCheck %s
// RUN: not %lanewise lint %s --rule=barrier-in-divergent-control-flow -DLAST=255 -DEND=0 -DSTEP=32 | FileCheck %s
// RUN: not %lanewise lint %s --rule=barrier-in-divergent-control-flow -DLAST=255 -DEND=0 -DSTEP=int'(count)' | FileCheck %s
//
// RUN: %lanewise lint %s --rule=barrier-in-divergent-control-flow -DROWS_A_WORKGROUP=64 | count 0
// RUN: not %lanewise lint %s --rule=barrier-in-divergent-control-flow -DROWS_A_WORKGROUP=32 | FileCheck %s
// CHECK: error: barrier in divergent control flow: only some invocations of the workgroup
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[]; };
layout(set = 0, binding = 1) readonly buffer Rows { uint rows[]; };
layout(push_constant) uniform Parameters { uint count; };
shared float tile[64];

void main() {
  uint lid = gl_LocalInvocationIndex;
  uvec3 gid = gl_GlobalInvocationID;
  float sum = 0;
#ifdef ROW
  if (ROW < count) {
    uint i = gid.x;
#elif defined(LAST)
  for (int i = LAST - int(lid); i >= END; i -= STEP) {
#else
  const uint step = gl_NumWorkGroups.x * ROWS_A_WORKGROUP;
  for (uint i = gid.x; i < 4 * step; i += step) {
#endif
    tile[lid] = data[i];
    barrier();
    sum += tile[63 - lid];
    barrier();
  }
  data[gid.x] = sum;
}
