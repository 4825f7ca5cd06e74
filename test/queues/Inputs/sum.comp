#version 430
// Adds up 16 words of `source` from word `first` on.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 1) writeonly buffer Result { uint result[]; };
layout(push_constant) uniform Where { uint first; };
void main() {
  uint sum = 0u;
  for (uint i = 0u; i < 16u; ++i) sum += source[first + i];
  result[0] = sum;
}
