// One invocation publishes a result by a fence and an atomic: the fence belongs in its branch.
// RUN: %lanewise lint %s --rule=barrier-in-divergent-control-flow | count 0
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Result { uint values[]; };
layout(set = 0, binding = 1) buffer Counter { uint done; };
shared uint sum;

void main() {
  if (gl_LocalInvocationIndex == 0) {
    sum = 0;
    values[gl_WorkGroupID.x] = sum;
    memoryBarrier();
    atomicAdd(done, 1);
  }
}
