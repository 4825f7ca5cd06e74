#version 430
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Words { uint words[]; };
layout(binding = 1) buffer Out { float o[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  o[i] += float(words[i]);
}
