#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { uint values[]; };
shared uint held[N];
void main() {
  held[gl_LocalInvocationIndex % N] = values[gl_GlobalInvocationID.x];
  barrier();
  values[gl_GlobalInvocationID.x] = held[(gl_LocalInvocationIndex * 7) % N];
}
