// No text would have the zeros that shared memory begins with: an error says so, and nothing is written.
// RUN: not %lanewise transpile %s --target-env=vulkan1.3 --to=glsl --vulkan -o %t.none 2>&1 | FileCheck %s
// RUN: not %lanewise transpile %s --target-env=vulkan1.3 --to=hlsl -o %t.none 2>&1 | FileCheck %s
// RUN: not %lanewise transpile %s --target-env=vulkan1.3 --to=msl -o %t.none 2>&1 | FileCheck %s
// RUN: not ls %t.none
// RUN: %lanewise transpile %s --target-env=vulkan1.3 --to=spvasm -o - | FileCheck --check-prefix=ASM %s
// CHECK: {{^}}lanewise: error: {{.*}}not-shared-zeros.comp: the text would lose the zeros that shared variable 's' begins with; store them
// ASM: OpVariable {{.*}} Workgroup %
#version 430
#extension GL_EXT_null_initializer : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer B { uint b[]; };
shared uint s[64] = {};
void main() {
  if (gl_LocalInvocationIndex < 32u) s[gl_LocalInvocationIndex] = 7u;
  barrier();
  b[gl_GlobalInvocationID.x] = s[63u - gl_LocalInvocationIndex];
}
