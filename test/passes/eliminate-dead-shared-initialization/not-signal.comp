// The invocation that stores the zero knows that the other one has written.
// RUN: %lanewise opt --inline --sroa --mem2reg --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-dead-shared-initialization --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// Of a subgroup it may be as well.
// RUN: %lanewise opt --inline --sroa --mem2reg --target-env=vulkan1.2 --remarks=none -D gl_ScopeWorkgroup=gl_ScopeSubgroup -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-dead-shared-initialization --target-env=vulkan1.2 %t.in.spv -o %t.out.spv 2>&1 | FileCheck %s
// CHECK: kept the zeros of 's': {{.*}} [eliminate-dead-shared-initialization:signal]
// CODE: OpStore {{%[^ ]+}} %float_0
#version 430
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
layout(binding = 0) restrict readonly buffer A { float a[]; };
layout(binding = 1) restrict writeonly buffer B { float b[]; };
shared float s[64];
shared uint flag;
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;
  if (t == 0) {
    for (uint i = 0; i < 64; ++i) s[i] = a[i];
    atomicStore(flag, 7u, gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsRelease);
  } else {
    while (atomicLoad(flag, gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsAcquire) != 7) {}
    if (t == 1) s[5] = 0.0;
  }
  barrier();
  b[g] = s[63 - t];
}
