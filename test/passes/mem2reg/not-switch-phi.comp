// Drivers make one test after the other of a switch, and select a vector that is a phi behind it after each. A scalar costs no more than the
// branch, and passes see through it.
// RUN: %lanewise opt --inline --mem2reg --remarks=missed %s -S -o - 2> %t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=WHY < %t.err
// RUN: %lanewise opt --inline --mem2reg %s -o %t.spv && spirv-val --target-env vulkan1.2 %t.spv
// RUN: %lanewise verify --device=cpu --no-timing --interpreter-budget=0.2 %s %t.spv
// REQUIRES: lavapipe
// CHECK: %face = OpVariable
// CHECK-NOT: OpVariable
// CHECK: OpPhi %uint
// CHECK: OpPhi %v2uint
// WHY: missed: variable {{.*}} kept: drivers select such a vector after each case of the switch [mem2reg:switch-phi]
// WHY-NOT: switch-phi
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) buffer B { uvec2 b[]; };
void main() {
  uint t = gl_GlobalInvocationID.x, v = b[t].x;
  uvec2 face = uvec2(v, t);
  uint scalar = v;
  switch (v & 3u) {
  case 0u: face = face.yx; scalar += 5u; break;
  case 1u: face += 7u; scalar ^= t; break;
  }
  uvec2 behindBranch = uvec2(t);
  if (v > 9u) behindBranch = uvec2(v);
  b[t] = face * scalar + behindBranch;
}
