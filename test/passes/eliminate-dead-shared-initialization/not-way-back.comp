// A way back around a loop is none past the write: the element is another one the second time.
// RUN: %lanewise opt --inline --sroa --mem2reg --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-dead-shared-initialization --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// CHECK: kept the zeros of 's': a read may come before anything else was written there [eliminate-dead-shared-initialization:not-overwritten]
#version 430
layout(local_size_x = 2) in;
layout(binding = 0) restrict readonly buffer A { uint a[]; };
layout(binding = 1) restrict writeonly buffer B { uint b[]; };
shared uint s[2];
void main() {
  uint t = gl_LocalInvocationIndex;
  s[t] = 0;
  barrier();
  for (uint k = 0;;) {
    if (a[k] > 5) {
      k = 1;
      continue;
    }
    s[k] = 7;
    break;
  }
  barrier();
  b[t] = s[0];
}
