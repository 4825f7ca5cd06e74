#version 430
layout(local_size_x = 64) in;
struct Cell { uint kind; float energy; uint age; };
layout(binding = 0) readonly buffer From { Cell from[]; };
layout(binding = 1) buffer To { Cell to[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  to[i].age = min(from[i + 1].kind, 5u);
}
