// A lock orders them, not a barrier.
// RUN: %lanewise lint %s --rule=shared-memory-race | count 0
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[64]; };
shared uint lock, sum;

void main() {
  uint lid = gl_LocalInvocationIndex;
  if (lid == 0) {
    lock = 0;
    sum = 0;
  }
  barrier();
  while (atomicCompSwap(lock, 0, 1) != 0) {
  }
  sum += lid;
  atomicExchange(lock, 0);
  barrier();
  if (lid == 0) data[0] = sum;
}
