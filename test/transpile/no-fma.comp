// In GLSL ES there is fma() from 320 on. Before, it is a product and a sum (which SPIRV-Cross would write as y *= 2.0 + x).
// RUN: %lanewise transpile %s --to=essl --verify --device=cpu -o %t.essl 2>&1 | FileCheck %s
// RUN: FileCheck --check-prefix=ESSL %s < %t.essl
// RUN: %lanewise transpile %s --to=essl --essl-version=320 -o - 2>&1 | FileCheck --check-prefix=NEWER %s
// CHECK: outputs equal
// ESSL: y[i] = ({{.*}}y[i] * 2.0) + {{.*}}x[i];
// NEWER: fma(
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Y { float y[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  y[i] = fma(y[i], 2.0, x[i]);
}
