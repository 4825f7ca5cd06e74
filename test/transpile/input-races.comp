// A fault of the input is not the text's, though the text gives variables other names: lanes of a subgroup that write
// one place do so in both, and nobody else is blamed.
// RUN: %lanewise transpile %s --to=glsl --verify --device=cpu -o %t.glsl 2>&1 | FileCheck %s
// RUN: %lanewise transpile %s --to=hlsl --verify --device=cpu -o %t.hlsl 2>&1 | FileCheck %s
// CHECK-NOT: wrong, nothing is written
// CHECK: finding in the input: data race (write-write) of `Last`
// CHECK-NOT: finding in {{GLSL|HLSL}}
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Last { uint last[]; };
void main() { last[gl_GlobalInvocationID.x % 16u] = gl_GlobalInvocationID.x; }
