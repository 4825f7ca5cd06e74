#version 430
// What is stored beyond the end of the buffer is not there afterwards, where robustBufferAccess says so.
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint factor = 3;
layout(set = 0, binding = 0) buffer Values { uint values[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  values[i + 1000000] = i * factor + 1;
  values[i] = values[i + 1000000] + 7;
}
