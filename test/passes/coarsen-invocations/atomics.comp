// Each copy does its own atomics and keeps what it got.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --remarks=none --target-env=vulkan1.2 %s -o %t.in.spv
// RUN: %lanewise opt --coarsen-invocations=4,1,1 --remarks=all --target-env=vulkan1.2 %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: {{.*}}workgroup of 32x1x1 now 8x1x1
// CODE:       = OpFunction
// CODE-COUNT-4: OpAtomicIAdd
// CODE-COUNT-4: OpAtomicUMax
// CODE-NOT:   OpAtomic
// CODE:       OpFunctionEnd
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
layout(binding = 2) buffer C { uint c[4]; };
shared uint s;
void main() {
  uint l = gl_LocalInvocationID.x;
  if (l == 0u) s = 0u;
  barrier();
  uint place = atomicAdd(s, 1u);
  atomicMax(c[0], 7u);
  b[gl_WorkGroupID.x * 32u + l] = place < 32u ? 1u : 0u;
}
