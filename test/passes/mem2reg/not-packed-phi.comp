// In a loop, vectors of narrow components stay variables: drivers would unpack a phi of them in
// each iteration. Wider ones, scalars, and narrow vectors where branches meet become phis.
// RUN: %lanewise opt --mem2reg --remarks=text -S %s -o - 2>&1 | FileCheck %s
// RUN: %lanewise opt --mem2reg %s -o %t.spv && spirv-val --target-env vulkan1.2 %t.spv
// CHECK-DAG: %narrow = OpVariable
// CHECK-DAG: OpPhi %v4float
// CHECK-DAG: OpPhi %half
// CHECK-DAG: OpPhi %v2half
// CHECK:     missed: variable {{.*}} kept: drivers unpack such a vector in each iteration of the loop [mem2reg:packed-phi]
// CHECK-NOT: missed:
#version 430
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(local_size_x = 64) in;
layout(binding = 0) buffer B {
  f16vec4 a[64];
  vec4 b[64];
  f16vec2 c[64];
};
void main() {
  uint t = gl_LocalInvocationIndex;
  f16vec4 narrow = f16vec4(0);
  vec4 wide = vec4(0);
  float16_t scalar = float16_t(0);
  for (int i = 0; i < 64; ++i) {
    narrow += a[i];
    wide += b[i];
    scalar += a[i].x;
  }
  f16vec2 met = f16vec2(1);
  if (t > 3) met = c[t + 1];
  a[t] = narrow;
  b[t] = wide;
  c[t] = met + scalar;
}
