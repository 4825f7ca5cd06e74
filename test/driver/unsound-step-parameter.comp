// spirv-opt's inliner drops what a parameter is decorated with: -O=spirv-opt goes without it, and says so.
// RUN: %lanewise opt %s -o %t.in.spv
// RUN: %lanewise opt %t.in.spv -O=spirv-opt -S 2> %t.note | FileCheck %s
// RUN: FileCheck %s --check-prefix=NOTE < %t.note
// NOTE: note: --inline-entry-points-exhaustive, --redundancy-elimination and --reduce-load-size were left out of -O: {{.*}} [spirv-opt:unsound-step]
// CHECK-DAG: OpDecorate [[I:%[^ ]+]] Volatile
// CHECK-DAG: [[I]] = OpFunctionParameter
// Otherwise it inlines, and nothing is said.
// RUN: sed 's/volatile coherent //' %s > %t.plain.comp && %lanewise opt %t.plain.comp -O=spirv-opt -S 2>&1 | FileCheck %s --check-prefix=PLAIN
// PLAIN-NOT: {{unsound-step|OpFunctionParameter}}
#version 450
#extension GL_EXT_shader_image_load_formatted : require
layout(local_size_x = 32) in;
layout(binding = 0) uniform uimage2D image;
layout(binding = 1) writeonly buffer B { uint b[]; };
uint sum(volatile coherent uimage2D seen, ivec2 at) {
  return imageLoad(seen, at).x + imageLoad(seen, at).x;
}
void main() {
  b[gl_GlobalInvocationID.x] = sum(image, ivec2(gl_GlobalInvocationID.xy));
}
