// Odd and even lanes go different ways: every subgroup runs both.
// RUN: %lanewise lint %s --rule=divergent-branch | FileCheck %s
// CHECK: odd-and-even.comp:[[#]]: warning: divergent branch: 2 of 2 subgroups of 32 lanes execute both sides, about {{[0-9]+}} + {{[0-9]+}} operations [divergent-branch]
// CHECK-NEXT: if ((lid & 1) == 0) {
// CHECK-NEXT: {{.*}}odd-and-even.comp:[[#]]: help: decide for whole subgroups
// CHECK-NEXT: 1 warning
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) restrict buffer Data { float data[64]; };

void main() {
  uint lid = gl_LocalInvocationIndex;
  float x = data[lid];
  if ((lid & 1) == 0) {
    for (uint n = 0; n < 16; ++n) x = x * x + 0.5;
  } else {
    for (uint n = 0; n < 16; ++n) x = sqrt(x) - 0.25;
  }
  data[lid] = x;
}
