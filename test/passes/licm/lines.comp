#version 430
// What moves takes its line along, and what stood there keeps its own.
// RUN: glslangValidator -g -V --target-env vulkan1.2 %s -o %t.spv > %t.log
// RUN: %lanewise opt %t.spv --strict --sroa --mem2reg --gvn --licm -S -o - | FileCheck %s
// RUN: glslangValidator -gVS -V --target-env vulkan1.2 %s -o %t.deep.spv > %t.log
// RUN: %lanewise opt %t.deep.spv --strict --sroa --mem2reg --gvn --licm -o %t.out.spv
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// CHECK: {{^ *%[^ ]+ = OpConvertUToF}}
// CHECK-NEXT: OpLine {{.*}} [[#FOR:]] 0
// CHECK-NEXT: OpLine {{.*}} [[#FOR + 1]] 0
// CHECK-NEXT: OpExtInst %float {{.*}} Sqrt
// CHECK-NEXT: OpLine {{.*}} [[#FOR]] 0
// CHECK-NEXT: OpBranch
// CHECK: {{^ *OpLoopMerge}}
// CHECK-NOT: {{^ *%[^ ]+ = OpExtInst}}
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { float data[]; };
void main() {
  uint at = gl_GlobalInvocationID.x;
  float sum = data[at], x = float(at);
  for (uint n = 0u; n < 64u; ++n)
    sum = sum * 0.5 + sqrt(x);
  data[at] = sum;
}
