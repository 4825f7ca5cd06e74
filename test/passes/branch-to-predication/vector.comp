// From SPIR-V 1.4 on one condition chooses a vector.
// RUN: %lanewise opt --inline-entry-points-exhaustive --ssa-rewrite --eliminate-dead-code-aggressive --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --branch-to-predication=always --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: remark: flattened {{branch|switch}}{{.*}} [branch-to-predication:flattened]
// CODE-NOT: {{^ *%}}v4bool = 
// CODE: %{{[0-9]+}} = OpSelect %v4float
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { vec4 a[]; };
layout(binding = 1) writeonly buffer B { vec4 b[]; };
void main() {
  uint g = gl_GlobalInvocationID.x;

  vec4 x = a[g];
  vec4 y = x;
  if (x.x > 0.25) y = x.wzyx;
  b[g] = y;
}
