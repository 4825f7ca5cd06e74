// What must not be contracted stays so in every copy, and names have a number.
// RUN: %lanewise opt --inline --mem2reg --gvn --remarks=none --target-env=vulkan1.2 %s -o %t.in.spv
// RUN: %lanewise opt --coarsen-invocations=2,1,1 --remarks=all --target-env=vulkan1.2 %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: {{.*}}workgroup of 32x1x1 now 16x1x1
// CODE-DAG:   OpName [[V:%[^ ]+]] "v"
// CODE-DAG:   OpName [[W:%[^ ]+]] "v_1"
// CODE-DAG:   OpDecorate [[R:%[^ ]+]] NoContraction
// CODE-DAG:   OpDecorate [[Q:%[^ ]+]] NoContraction
// CODE:       [[R]] = OpFMul
// CODE:       [[Q]] = OpFMul
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) writeonly buffer B { float b[]; };
void main() {
  uint g = gl_GlobalInvocationID.x;
  float v[2];
  v[g & 1u] = a[g];
  precise float r = v[g & 1u] * a[g + 1u];
  b[g] = r;
}
