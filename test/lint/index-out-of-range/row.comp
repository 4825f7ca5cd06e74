// Beyond its row stands the next one, for most drivers: a warning, unless it is the last row. A component of a vector has
// nothing beyond it.
// RUN: not %lanewise lint %s --rule=index-out-of-range | FileCheck %s
// CHECK: row.comp:[[#ROW:]]: warning: index 8 is out of range for invocation (0, 1, 0): a row of 'tile' has 8 elements
// CHECK: row.comp:[[#ROW+1]]: error: index 8 is out of range for invocation (0, 7, 0): 'tile' has 8 elements
// CHECK: row.comp:[[#ROW+2]]: error: index 4 is out of range for invocation (4, 0, 0): a part of 'colors' has 4 components
// CHECK: 1 warning and 2 errors
#version 430
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) buffer Data { float data[64]; };
shared float tile[8][8];
shared vec4 colors[8];

void main() {
  uvec2 lid = gl_LocalInvocationID.xy;
  tile[lid.y][lid.x] = data[gl_LocalInvocationIndex];
  colors[lid.x] = vec4(lid.y);
  barrier();
  float sum = 0.0;
  sum += tile[0][lid.y * 8 + lid.x];
  sum += tile[lid.y + 1][lid.x];
  sum += colors[lid.y][lid.x];
  data[gl_LocalInvocationIndex] = sum;
}
