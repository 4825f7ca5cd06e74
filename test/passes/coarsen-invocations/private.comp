// A variable of the invocation is one of each copy where they may write different things, if only under a branch.
// RUN: %lanewise opt --inline --remarks=none --target-env=vulkan1.2 -g %s -o %t.in.spv
// RUN: %lanewise opt --coarsen-invocations=2,1,1 --remarks=all --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: {{.*}}workgroup of 32x1x1 now 16x1x1
// CODE:       OpEntryPoint GLCompute %main "main" {{.*}} %own_1
// CODE:       %own_1 = OpVariable {{.*}} Private %uint_3
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
uint own = 3u;
uint same = 4u;
void main() {
  uint g = gl_GlobalInvocationID.x;
  same = gl_WorkGroupID.x;
  if ((a[g] & 1u) == 0u) own = 9u;
  b[g] = own + same;
}
