// Who is next in line is served when those before are done. A line of which nobody else learns (scope
// Workgroup) orders nobody else.
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=1 -D GO=0 %s -o %t.keep.spv 2>&1 | FileCheck --check-prefix=KEEP %s
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=0 -D GO=1 %s -o %t.go.spv 2>&1 | FileCheck --check-prefix=GO %s
// RUN: spirv-val --target-env vulkan1.2 %t.keep.spv && spirv-val --target-env vulkan1.2 %t.go.spv
#version 430
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
#if KEEP
#define SCOPE gl_ScopeDevice
#define QUALIFIER devicecoherent
#else
#define SCOPE gl_ScopeWorkgroup
#define QUALIFIER
#endif
layout(binding = 0) restrict QUALIFIER buffer B { uint data[64]; uint result[64]; uint serving; } b;
void main() {
  uint t = gl_LocalInvocationIndex;
  if (t == 0) while (atomicLoad(b.serving, SCOPE, gl_StorageSemanticsBuffer, gl_SemanticsAcquire) != gl_WorkGroupID.x) {}
  // KEEP: :[[#@LINE+2]]: missed: kept a control barrier: other workgroups may rely on {{.*}}
  // GO: :[[#@LINE+1]]: remark: removed a control barrier
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
  uint x = b.data[t];
  b.data[t] = x + 1;
  // KEEP: :[[#@LINE+2]]: missed: kept a control barrier: other workgroups may rely on {{.*}}
  // GO: :[[#@LINE+1]]: remark: removed a control barrier
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
  if (t == 0) atomicAdd(b.serving, 1u, SCOPE, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
  b.result[t] = x;
}
