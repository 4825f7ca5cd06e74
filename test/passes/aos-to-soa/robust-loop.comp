#version 430
// A loop over an array in the element stays in it: behind its test the counter is below the bound.
//
// RUN: %lanewise opt %s -O --aos-to-soa=soa --robust -S -o - 2>&1 | FileCheck %s
// CHECK: laid out 'Cells'
struct Cell { float a[4]; float sum; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { Cell c[64]; };
void main() {
  uint i = gl_LocalInvocationID.x;
  float sum = 0;
  for (uint k = 0; k < 4; ++k) sum += c[i].a[k];
  c[i].sum = sum;
}
