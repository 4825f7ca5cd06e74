#version 450
#include "tile.glsl"

layout(local_size_x = ROWS, local_size_y = 8) in;
layout(binding = 0) readonly buffer Input { float source[]; };
layout(binding = 1) writeonly buffer Output { float result[]; };
layout(push_constant) uniform Size { uint width; };

shared float tile[ROWS][ROWS];

void main() {
  uvec2 lane = gl_LocalInvocationID.xy;
  uvec2 corner = gl_WorkGroupID.xy * ROWS;
  for (uint y = lane.y; y < ROWS; y += 8)
    tile[y][lane.x] = source[place(corner + uvec2(lane.x, y), width)];
  barrier();
  for (uint y = lane.y; y < ROWS; y += 8)
    result[place(corner.yx + uvec2(lane.x, y), width)] = tile[lane.x][y];
}
