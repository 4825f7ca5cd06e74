#version 430
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer Source { float source[]; };
layout(binding = 1) writeonly buffer Target { float target[]; };
shared float first[32][32];
shared float second[32][32];
void main() {
  uvec2 at = gl_LocalInvocationID.xy;
  first[at.y][at.x] = source[at.y * 32 + at.x];
  second[at.y][at.x] = source[1024 + at.y * 32 + at.x];
  barrier();
  target[at.y * 32 + at.x] = first[at.x][at.y] + second[at.x][at.y];
}
