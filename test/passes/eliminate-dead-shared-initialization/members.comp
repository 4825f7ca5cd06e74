// Members of structs and components of vectors are told apart.
// RUN: %lanewise opt --inline --sroa --mem2reg --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-dead-shared-initialization --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: removed 1 store of zero of 's': all that is read of it is written before [eliminate-dead-shared-initialization:removed]
// CODE-COUNT-2: OpControlBarrier
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) restrict readonly buffer A { float a[]; };
layout(binding = 1) restrict writeonly buffer B { float b[]; };
struct E { vec2 v; float f[2]; };
shared E s[64];
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;
  s[t] = E(vec2(0), float[2](0, 0));
  barrier();
  s[t].f[1] = a[g];
  s[t].v.y = a[g + 1];
  s[t].v.x = a[g + 2];
  barrier();
  b[g] = s[63 - t].v.x + s[63 - t].v.y + s[t ^ 1].f[1];
}
