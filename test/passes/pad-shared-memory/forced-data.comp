// A layout that was asked for where no access is known: the remark claims no degree.
// RUN: %lanewise opt --pad-shared-memory=pad --remarks=json -g %s -o %t.spv 2> %t.json
// RUN: spirv-val --target-env vulkan1.2 %t.spv
// RUN: FileCheck %s --input-file=%t.json --implicit-check-not=degree-
// CHECK: "name":"padded"
// CHECK-SAME: padded 's' from [32][32] to [32][33]: conflict degree unknown, 128 more bytes
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { uint x[]; };
layout(binding = 1) buffer Y { uint y[]; };
shared uint s[32][32];
void main() {
  uint t = gl_LocalInvocationIndex;
  for (uint k = 0; k < 32; ++k) s[k][x[t] & 31] = k;
  barrier();
  y[gl_GlobalInvocationID.x] = s[x[t + 32] & 31][x[t] & 31];
}
