#version 430
// Which part of the element is stored is the same for the whole dispatch: two invocations at one element would meet there.
//
// RUN: %lanewise opt --remarks=all %s -O --narrow-fields=Cells.a:4,Cells.b:7 -S -o %t.spvasm 2>&1 | FileCheck %s
// RUN: FileCheck --check-prefix=NARROWED %s < %t.spvasm
// RUN: spirv-as --target-env vulkan1.2 %t.spvasm -o %t.spv && spirv-val --target-env vulkan1.2 %t.spv
//
// CHECK-NOT: shared-word
// CHECK: group 0: a (bits 0 to 3)
// NARROWED: OpBitFieldInsert
struct Cell { uint a; uint b; float f[2]; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { Cell c[]; };
layout(push_constant) uniform P { uint which; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  c[i].f[which] = 1;
  if (i % 3 == 0)
    c[i].a = 3;
  else
    c[i].b = 4;
}
