#version 430
layout(local_size_x = 64) in;
struct Cell { uint kind; float energy; };
layout(binding = 0) buffer Cells { Cell cells[1024]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  cells[i].energy = 1;
}
