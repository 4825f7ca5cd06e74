#version 430
layout(local_size_x = 32, local_size_y = 8) in;
layout(set = 0, binding = 0) readonly buffer Source { float source[]; };
layout(set = 0, binding = 1) writeonly buffer Target { float target[]; };
shared float tile[32][32];

void main() {
  uvec2 lid = gl_LocalInvocationID.xy;
  for (uint row = lid.y; row < 32; row += 8) tile[row][lid.x] = source[(gl_WorkGroupID.x * 32 + row) * 32 + lid.x];
  barrier();
  for (uint row = lid.y; row < 32; row += 8) target[(gl_WorkGroupID.x * 32 + row) * 32 + lid.x] = tile[lid.x][row];
}
