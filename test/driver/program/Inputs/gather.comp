#version 430
layout(local_size_x = 64) in;
struct Cell { uint kind; float energy; vec4 place; int age; };
layout(binding = 0) readonly buffer Cells { Cell cells[]; };
layout(binding = 1) buffer Out { float o[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  uint n = uint(o[i]);
  o[i] = float(cells[n].kind) * cells[n].energy + cells[n].place.x + float(cells[n].age);
}
