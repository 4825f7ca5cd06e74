// One iteration too many, in which every invocation is beyond the end; and one step too few of a backward loop.
// RUN: not %lanewise lint %s --rule=index-out-of-range | FileCheck %s
// CHECK: loop.comp:[[#UP:]]: error: index 16 is out of range: 'sums' has 16 elements
// CHECK: loop.comp:[[#UP+1]]: error: index -1 is out of range: 'sums' has 16 elements
// CHECK: 2 errors
#version 430
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer Data { float data[16]; };
shared float sums[16];

void main() {
  sums[gl_LocalInvocationIndex] = data[gl_LocalInvocationIndex];
  barrier();
  float sum = 0.0;
  for (int n = 0; n <= 16; ++n) sum += sums[n];
  for (int n = 15; n >= -1; --n) sum += sums[n] * 2.0;
  data[gl_LocalInvocationIndex] = sum;
}
