// Before SPIR-V 1.4 a matrix is chosen column by column.
// RUN: %lanewise opt --inline-entry-points-exhaustive --ssa-rewrite --eliminate-dead-code-aggressive --target-env=vulkan1.0 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --branch-to-predication=always --target-env=vulkan1.0 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.0 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: remark: flattened {{branch|switch}}{{.*}} [branch-to-predication:flattened]
// CODE-NOT: %{{[0-9]+}} = OpSelect %mat
// CODE-COUNT-2: %{{[0-9]+}} = OpSelect %v2float
// CODE: %{{[0-9]+}} = OpCompositeConstruct %mat2v2float
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { vec4 a[]; };
layout(binding = 1) writeonly buffer B { vec4 b[]; };
void main() {
  uint g = gl_GlobalInvocationID.x;

  vec4 x = a[g];
  mat2 m = mat2(x.xy, x.zw), n = m;
  if (x.x > 0.25) n = m * 2.0;
  b[g] = vec4(n * x.xy, x.zw);
}
