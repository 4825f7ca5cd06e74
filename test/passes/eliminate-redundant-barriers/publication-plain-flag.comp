// Behind a fence that reaches all, even a plain store is taken for a signal of what was written. It is
// none by the rules; but somebody wrote the fence.
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=1 -D GO=0 %s -o %t.keep.spv 2>&1 | FileCheck --check-prefix=KEEP %s
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=0 -D GO=1 %s -o %t.go.spv 2>&1 | FileCheck --check-prefix=GO %s
// RUN: spirv-val --target-env vulkan1.2 %t.keep.spv && spirv-val --target-env vulkan1.2 %t.go.spv
#version 430
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
layout(binding = 0) restrict buffer B { uint data[64]; uint flag; } b;
void main() {
  uint t = gl_LocalInvocationIndex;
  b.data[t] = t;
  // KEEP: :[[#@LINE+2]]: missed: kept a control barrier: a fence orders the store to 'b' at line [[#]] for other workgroups
  // GO: :[[#@LINE+1]]: remark: removed a control barrier
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
  if (t == 0) {
#if KEEP
    memoryBarrierBuffer();
#endif
    b.flag = 1;
  }
}
