// Buffers stay in the semantics of a barrier in front of a signal, and go where none follows.
// RUN: %lanewise opt -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=1 -D GO=0 %s -o %t.keep.spv 2>&1 | FileCheck --check-prefix=KEEP %s
// RUN: %lanewise opt -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=0 -D GO=1 %s -o %t.go.spv 2>&1 | FileCheck --check-prefix=GO %s
// RUN: spirv-val --target-env vulkan1.2 %t.keep.spv && spirv-val --target-env vulkan1.2 %t.go.spv
#version 430
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
layout(binding = 0) restrict buffer R { uint data[64]; } r;
layout(binding = 1) restrict buffer B { uint result[64]; uint flag; } b;
shared uint s[64];
void main() {
  uint t = gl_LocalInvocationIndex;
  s[t] = r.data[t];
  // KEEP-NOT: dropped
  // GO: :[[#@LINE+1]]: remark: dropped buffer memory
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
#if KEEP
  if (t == 0) atomicExchange(b.flag, 1);
#endif
  b.result[t] = s[63 - t];
}
