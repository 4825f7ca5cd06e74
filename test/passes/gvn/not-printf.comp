// Each print is made at its own place: one says nothing of the other, however equal they are.
// RUN: %lanewise opt --gvn --adce -S %s -o - | FileCheck %s
// CHECK-COUNT-2: OpExtInst {{.*}} 1 %
// CHECK-NOT: OpExtInst
#version 430
#extension GL_EXT_debug_printf : enable
layout(local_size_x = 8) in;
layout(binding = 0) buffer Data { uint values[]; };
void main() {
  const uint at = gl_GlobalInvocationID.x;
  debugPrintfEXT("at %d", at);
  values[at] *= 3;
  barrier();
  debugPrintfEXT("at %d", at);
}
