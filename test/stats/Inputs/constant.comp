#version 430
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint size = 1;
layout(set = 0, binding = 0) buffer Data { float data[]; };
shared float tile[64 * size];

void main() {
  tile[gl_LocalInvocationIndex] = data[gl_GlobalInvocationID.x];
  barrier();
  data[gl_GlobalInvocationID.x] = tile[size - 1 - gl_LocalInvocationIndex];
}
