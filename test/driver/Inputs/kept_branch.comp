#version 430
layout(local_size_x = 32) in;
layout(binding = 0) buffer Numbers { uint numbers[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if ((numbers[i] & 1u) != 0u) numbers[i + 32] = 3u;
}
