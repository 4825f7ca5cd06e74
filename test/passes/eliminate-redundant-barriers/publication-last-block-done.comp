// The last workgroup to finish sums up what all wrote. Counting alone, of what nobody reads behind the
// count, needs no order.
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=1 -D GO=0 %s -o %t.keep.spv 2>&1 | FileCheck --check-prefix=KEEP %s
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=0 -D GO=1 %s -o %t.go.spv 2>&1 | FileCheck --check-prefix=GO %s
// RUN: spirv-val --target-env vulkan1.2 %t.keep.spv && spirv-val --target-env vulkan1.2 %t.go.spv
#version 430
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
layout(binding = 0) coherent restrict buffer P { uint partial[]; } p;
layout(binding = 1) restrict buffer C { uint done; uint groups; } c;
layout(binding = 2) restrict buffer B { uint result[]; } b;
shared bool isLast;
void main() {
  uint t = gl_LocalInvocationIndex, w = gl_WorkGroupID.x;
#if KEEP
  p.partial[w * 64 + t] = t;
#endif
  // KEEP: :[[#@LINE+2]]: missed: kept a control barrier: other {{workgroups|invocations}} may rely on the store to 'p' at line [[#]] coming before the atomic on 'c'{{.*}}
  // GO: :[[#@LINE+1]]: remark: removed a control barrier
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
  if (t == 0) isLast = atomicAdd(c.done, 1) == gl_NumWorkGroups.x - 1;
#if KEEP
  // KEEP: :[[#@LINE+1]]: missed: kept a control barrier:
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
  if (isLast) b.result[t] = p.partial[t * 64];
#endif
}
