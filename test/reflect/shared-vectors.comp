// What Vulkan counts of Workgroup memory: by std430 a scalar stands in the fourth component of a vector of three.
// RUN: %lanewise reflect %s | FileCheck %s
// CHECK: shared memory: 24576 bytes
// RUN: %lanewise lint %s --rule=resource-limits --target=adreno
// RUN: sed 's/\[1536\]/[2048]/' %s > %t.comp
// RUN: %lanewise verify %t.comp %t.comp --device=cpu --no-timing | FileCheck %s --check-prefix=RUNS
// RUNS: outputs equal
#version 430
layout(local_size_x = 64) in;
struct Body {
  vec3 position;
  float mass;
};
layout(binding = 0) buffer Out { float o[]; };
shared Body bodies[1536];
void main() {
  uint l = gl_LocalInvocationIndex;
  bodies[l] = Body(vec3(l), 2);
  barrier();
  o[gl_GlobalInvocationID.x] = bodies[l ^ 1].mass;
}
