// A read-only view of a buffer that the module also writes under another name can be overwritten; one
// that is restricted cannot.
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=1 -D GO=0 %s -o %t.keep.spv 2>&1 | FileCheck --check-prefix=KEEP %s
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=0 -D GO=1 %s -o %t.go.spv 2>&1 | FileCheck --check-prefix=GO %s
// RUN: spirv-val --target-env vulkan1.2 %t.keep.spv && spirv-val --target-env vulkan1.2 %t.go.spv
#version 430
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
#if KEEP
layout(binding = 0) readonly buffer R { uint data[64]; } r;
#else
layout(binding = 0) restrict readonly buffer R { uint data[64]; } r;
#endif
layout(binding = 1) buffer W { uint data[64]; } w;
layout(binding = 2) restrict buffer B { uint result[64]; uint flag; } b;
void main() {
  uint t = gl_LocalInvocationIndex;
#if KEEP
  w.data[t] = t;
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
#endif
  uint x = r.data[t];
  // KEEP: :[[#@LINE+2]]: missed: kept a control barrier: other workgroups may rely on the load of 'r' at line [[#]] coming before the atomic on 'b'{{.*}}
  // GO: :[[#@LINE+1]]: remark: removed a control barrier
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
  if (t == 0) atomicExchange(b.flag, 1);
  b.result[t] = x;
}
