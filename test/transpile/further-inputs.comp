// Inputs that are tried beside the first ones change what is in buffers, but not the buffer that a text has in place of push
// constants and of the number of workgroups: the input has these elsewhere.
// RUN: %lanewise transpile %s --to=glsl --verify --device=cpu -o %t.out.comp 2>&1 | FileCheck %s
// RUN: %lanewise transpile %s --to=hlsl --verify --device=cpu -o %t.out.hlsl 2>&1 | FileCheck %s
// CHECK: : verified
// CHECK: further inputs: {{[1-9][0-9]*}} tried
#version 430
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { uint n; uint mode; } push;
layout(binding = 0) buffer Data { uint data[]; };
layout(binding = 1) uniform Limits { uint low; uint high; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  uint x = data[i];
  if (push.n > 100u) x += 7u;
  if (push.mode == 12345u) x *= 3u;
  if (low > 1000u) x += high;
  if (gl_NumWorkGroups.x > 77u) x ^= 5u;
  data[i] = x;
}
