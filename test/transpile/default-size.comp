// A workgroup size by specialization constants keeps its default.
// RUN: %lanewise transpile %s --to=glsl --vulkan --verify --device=cpu -o %t.out.comp
// RUN: FileCheck %s --input-file=%t.out.comp
// CHECK: layout(local_size_x = 64, local_size_x_id = 3, local_size_y_id = 4, local_size_z = 2) in;
#version 430
layout(local_size_x = 64, local_size_y = 1, local_size_z = 2) in;
layout(local_size_x_id = 3, local_size_y_id = 4) in;
layout(set = 0, binding = 0) buffer B { uint b[]; };
void main() { b[gl_GlobalInvocationID.x] = gl_WorkGroupSize.x + gl_WorkGroupSize.y; }
