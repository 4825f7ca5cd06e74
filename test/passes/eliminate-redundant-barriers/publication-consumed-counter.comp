// A ring of which the reader tells the writer what it has consumed, by a relaxed counter behind a
// fence. Without anything that carries the news to others, the read may be late.
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=1 -D GO=0 %s -o %t.keep.spv 2>&1 | FileCheck --check-prefix=KEEP %s
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=0 -D GO=1 %s -o %t.go.spv 2>&1 | FileCheck --check-prefix=GO %s
// RUN: spirv-val --target-env vulkan1.2 %t.keep.spv && spirv-val --target-env vulkan1.2 %t.go.spv
#version 430
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
layout(binding = 0) restrict buffer R { uint ring[256]; } r;
layout(binding = 1) restrict buffer B { uint result[64]; uint consumed; } b;
void main() {
  uint t = gl_LocalInvocationIndex;
  uint x = r.ring[t];
#if KEEP
  // KEEP: :[[#@LINE+1]]: remark: merged a memory barrier
  memoryBarrierBuffer();
#endif
  // KEEP: :[[#@LINE+2]]: missed: kept a control barrier: other {{workgroups|invocations}} may rely on the load of 'r' at line [[#]] coming before the atomic on 'b'{{.*}}
  // GO: :[[#@LINE+1]]: remark: removed a control barrier
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
  if (t == 0) atomicAdd(b.consumed, 64);
  b.result[t] = x;
}
