#version 430
// Debug information of the whole module says where the variable lives.
//
// RUN: glslangValidator -gVS -V --target-env vulkan1.2 %s -o %t.spv > %t.log
// RUN: %lanewise opt %t.spv --mem2reg --no-validation -S -o - | FileCheck %s
// CHECK: {{^ *%state = OpVariable}} {{.*}} Private
layout(local_size_x = 32) in;
layout(binding = 0) buffer B { uint b[]; };
uint state;
void main() {
  state = gl_GlobalInvocationID.x;
  b[state] = state;
}
