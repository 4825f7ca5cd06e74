#version 430
layout(local_size_x = 64) in;
struct Cell { uint kind; float energy; vec4 place; int age; };
layout(binding = 3) readonly buffer Cells { Cell cells[]; };
layout(binding = 1) buffer Out { float o[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
#ifdef LENGTH
  if (i >= cells.length()) return;
#endif
  o[i] = cells[i].energy;
}
