// Where shared memory is non-private, as in the Vulkan memory model, a store to it can hand over what a
// fence keeps in order.
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=1 -D GO=0 %s -o %t.keep.spv 2>&1 | FileCheck --check-prefix=KEEP %s
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=0 -D GO=1 %s -o %t.go.spv 2>&1 | FileCheck --check-prefix=GO %s
// RUN: spirv-val --target-env vulkan1.2 %t.keep.spv && spirv-val --target-env vulkan1.2 %t.go.spv
#version 430
#if KEEP
#pragma use_vulkan_memory_model
#endif
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
shared uint flag;
layout(binding = 0) restrict buffer B { uint data[64]; uint result[64]; } b;
void main() {
  uint t = gl_LocalInvocationIndex;
  b.data[t] = t;
  // KEEP: :[[#@LINE+2]]: missed: kept a memory barrier: other {{workgroups|invocations}} may rely on the store to 'b' at line [[#]] coming before the store to 'flag'{{.*}}
  // GO: :[[#@LINE+1]]: remark: removed a memory barrier
  memoryBarrier(gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared, gl_SemanticsRelease);
  if (t == 0) flag = 1;
}
