// Lines and scopes stay with what was written there, in every copy.
// RUN: %lanewise opt --inline --sroa --mem2reg --remarks=none --target-env=vulkan1.2 -g %s -o %t.in.spv
// RUN: %lanewise opt --coarsen-invocations=2,1,1 --remarks=all --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: {{.*}}workgroup of 32x1x1 now 16x1x1
// CODE:       = OpFunction
// CODE:       OpLine %{{[^ ]+}} 24 0
// CODE-NEXT:  OpIMul %uint %{{[^ ]+}} %uint_11
// CODE:       OpLine %{{[^ ]+}} 24 0
// CODE-NEXT:  OpIMul %uint %{{[^ ]+}} %uint_11
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
void main() {
  uint g = gl_GlobalInvocationID.x;
  uint r = a[g];
  if (r > 7u)
    r = r * 11u;
  b[g] = r;
}
