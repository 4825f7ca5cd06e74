#version 430
// What moves takes its line along, what follows keeps its own, and what is said of its value goes with it.
// RUN: glslangValidator -g -V --target-env vulkan1.2 %s -o %t.spv > %t.log
// RUN: %lanewise opt %t.spv --strict --sroa --mem2reg --gvn --adce --sink -S -o - | FileCheck %s
// RUN: glslangValidator -gVS -V --target-env vulkan1.2 %s -o %t.deep.spv > %t.log
// RUN: %lanewise opt %t.deep.spv --strict --sroa --mem2reg --gvn --adce --sink -o %t.out.spv
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=DEEP %s
// CHECK: {{^ *OpBranchConditional}}
// CHECK-NEXT: OpLabel
// CHECK-NEXT: OpLine {{.*}} [[#DEAR:]] 0
// CHECK-NEXT: OpBitwiseOr
// CHECK: {{^ *}}OpLine {{.*}} [[#DEAR + 1]] 0
// CHECK: {{^ *OpStore}}
// DEEP: {{^ *OpBranchConditional}}
// DEEP: {{^ *%[^ ]+ = OpUMod}}
// DEEP: {{^ *%[^ ]+ = OpUMod}}
// DEEP: {{^ *%[^ ]+ = OpUMod}}
// DEEP: {{^ *%[^ ]+ = OpExtInst .* DebugValue}}
// DEEP: {{^ *OpStore}}
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { uint data[]; };
layout(binding = 2) readonly buffer Given { uint given[]; };
void main() {
  uint at = gl_GlobalInvocationID.x, x = given[at], y = given[at + 32u];
  uint dear = (x % (y | 1u)) ^ (x % (y | 2u)) ^ (x % (y | 4u));
  if (x > y) data[at] = dear;
}
