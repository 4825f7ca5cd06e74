// The corrected form: atomics among themselves are no race.
// RUN: %lanewise lint %s --rule=shared-memory-race | count 0
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[64]; };
shared uint counter;

void main() {
  uint lid = gl_LocalInvocationIndex;
  if (lid == 0) counter = 0;
  barrier();
  atomicAdd(counter, data[lid]);
  barrier();
  if (lid == 0) data[0] = counter;
}
