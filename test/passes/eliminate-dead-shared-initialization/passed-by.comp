// What has nothing to do with Workgroup memory is passed by: choices and loops on data, nested ones, and a switch.
// RUN: %lanewise opt --inline --sroa --mem2reg --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-dead-shared-initialization --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: removed 1 store of zero of 's': all that is read of it is written before [eliminate-dead-shared-initialization:removed]
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) restrict readonly buffer A { uint a[]; };
layout(binding = 1) restrict buffer B { uint b[]; };
shared uint s[64];
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x, x = a[g];
  s[t] = 0;
  if (x > 3) {
    for (uint n = 0; n < (x & 7); ++n)
      if (a[n] > 2) b[g] += 2; else b[g] ^= n;
  }
  uint steps = 0; // the loop's value is needed behind it
  for (uint n = 0; n < 3; ++n) {
    if (a[g + n] == 1) b[g] += n;
    steps += 2;
  }
  switch (x & 3) {
  case 0: b[g] += 1; break;
  case 1: b[g] += 7;
  default: b[g] *= 3;
  }
  s[t ^ (steps - 5)] = x;
  barrier();
  while (b[g] > 100) b[g] /= 2;
  b[g] += s[63 - t];
}
