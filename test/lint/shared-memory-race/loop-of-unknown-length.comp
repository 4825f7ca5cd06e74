// How often the loop goes round is a push constant: it may go round twice.
// RUN: not %lanewise lint %s --rule=shared-memory-race | FileCheck %s
// CHECK: loop-of-unknown-length.comp:[[#STORE:]]: error: data race on 'tile'
// CHECK: loop-of-unknown-length.comp:[[#STORE+2]]: note: 'tile'{{.*}} is read here
#version 430
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) readonly restrict buffer Source { float source[]; };
layout(set = 0, binding = 1) writeonly restrict buffer Target { float target[]; };
layout(push_constant) uniform Parameters { uint tiles; };
shared float tile[8][8];

void main() {
  uvec2 lid = gl_LocalInvocationID.xy;
  float sum = 0;
  for (uint k = 0; k < tiles; ++k) {
    tile[lid.y][lid.x] = source[k * 64 + lid.y * 8 + lid.x];
    barrier();
    for (uint n = 0; n < 8; ++n) sum += tile[n][lid.x];
  }
  target[gl_GlobalInvocationID.y * 8 + gl_GlobalInvocationID.x] = sum;
}
