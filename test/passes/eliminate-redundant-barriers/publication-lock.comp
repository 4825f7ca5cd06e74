// A lock: taken before anybody reads, given back when all have read. One that only this workgroup
// can see orders nothing here: each invocation keeps to its own element.
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=1 -D GO=0 %s -o %t.keep.spv 2>&1 | FileCheck --check-prefix=KEEP %s
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=0 -D GO=1 %s -o %t.go.spv 2>&1 | FileCheck --check-prefix=GO %s
// RUN: spirv-val --target-env vulkan1.2 %t.keep.spv && spirv-val --target-env vulkan1.2 %t.go.spv
#version 430
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
#if KEEP
#define QUALIFIER devicecoherent
#else
#define QUALIFIER
#endif
layout(binding = 0) restrict QUALIFIER buffer B { uint data[64]; uint result[64]; uint lock; } b;
shared uint own;
void main() {
  uint t = gl_LocalInvocationIndex;
#if KEEP
  if (t == 0) while (atomicCompSwap(b.lock, 0u, 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire, 0, 0) != 0u) {}
#else
  if (t == 0) while (atomicCompSwap(own, 0u, 1u, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquire, 0, 0) != 0u) {}
#endif
  // KEEP: :[[#@LINE+2]]: missed: kept a control barrier: other workgroups may rely on {{.*}}
  // GO: :[[#@LINE+1]]: remark: removed a control barrier
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
  uint x = b.data[t];
  // KEEP: :[[#@LINE+2]]: missed: kept a control barrier: other workgroups may rely on {{.*}}
  // GO: :[[#@LINE+1]]: remark: removed a control barrier
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
#if KEEP
  if (t == 0) atomicStore(b.lock, 0u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
#else
  if (t == 0) atomicStore(own, 0u, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
#endif
  b.result[t] = x;
}
