#version 430
// Transposes a tile whose size the program gives: 32 conflicts in every bank, 33 in none.
layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 2) const uint size = 1;
layout(set = 0, binding = 0) readonly buffer In { float source[]; };
layout(set = 0, binding = 1) writeonly buffer Out { float target[]; };
shared float tile[size][size];
void main() {
  uvec2 at = gl_LocalInvocationID.xy;
  tile[at.y][at.x] = source[gl_GlobalInvocationID.y * 4096 + gl_GlobalInvocationID.x];
  barrier();
  target[gl_GlobalInvocationID.x * 4096 + gl_GlobalInvocationID.y] = tile[at.x][at.y];
}
