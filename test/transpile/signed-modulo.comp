// OpSMod has the divisor's sign; what languages write as % has the dividend's, or none that they promise. What GLSL's
// own % is nobody says for negative numbers, but compilers for Vulkan make OpSMod of it.
// RUN: %lanewise opt --target-env=vulkan1.1 -g %s -o %t.spv
// RUN: %lanewise transpile %t.spv --to=glsl --vulkan --verify --require-verified --device=cpu -o - 2> /dev/null | FileCheck %s --check-prefix=OPERATOR
// RUN: %lanewise transpile %t.spv --to=glsl --verify --require-verified --device=cpu -o - 2> /dev/null | FileCheck %s
// RUN: %lanewise transpile %t.spv --to=essl --verify --require-verified --device=cpu -o - 2> /dev/null | FileCheck %s
// RUN: %lanewise transpile %t.spv --to=hlsl --verify --require-verified --device=cpu -o - 2> /dev/null | FileCheck %s
// RUN: %lanewise transpile %t.spv --to=msl -o - 2> /dev/null | FileCheck %s
// OPERATOR: %
// CHECK-NOT: %
// CHECK: / 3)
// CHECK-NOT: %
#version 450
layout(local_size_x = 8) in;
layout(binding = 0) buffer Data { int values[]; };
layout(binding = 1) buffer Pairs { ivec2 pairs[]; };
void main() {
  const uint at = gl_GlobalInvocationID.x;
  values[at] = (values[at] >> 8) % 3;
  pairs[at] = (pairs[at] >> 8) % ivec2(-7, 5);
}
