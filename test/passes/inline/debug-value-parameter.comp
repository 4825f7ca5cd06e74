// A parameter that is passed by value is declared to debuggers as a variable; where it is inlined it is a value.
// RUN: glslangValidator -gVS -V --target-env vulkan1.2 %s -o %t.in.spv
// RUN: %lanewise opt %t.in.spv --inline --globaldce -g --strict -o %t.out.spv
// RUN: spirv-dis %t.out.spv | FileCheck %s
// CHECK: DebugValue [[VARIABLE:%[0-9]+]] [[VALUE:%[0-9]+]]
// CHECK: OpIMul %uint [[VALUE]] [[VALUE]]
// CHECK-NOT: DebugDeclare [[VARIABLE]]
#version 430
layout(local_size_x = 16) in;
layout(binding = 0) buffer Data { uint data[]; };
uint square(const uint a) { return a * a; }
void main() { data[gl_GlobalInvocationID.x] = square(data[gl_GlobalInvocationID.x]); }
