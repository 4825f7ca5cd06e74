// The mirror case: a volatile flag is polled, and what it tells of is used behind the barrier.
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=1 -D GO=0 %s -o %t.keep.spv 2>&1 | FileCheck --check-prefix=KEEP %s
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=0 -D GO=1 %s -o %t.go.spv 2>&1 | FileCheck --check-prefix=GO %s
// RUN: spirv-val --target-env vulkan1.2 %t.keep.spv && spirv-val --target-env vulkan1.2 %t.go.spv
#version 430
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
layout(binding = 0) volatile coherent restrict buffer S { uint state[]; } st;
layout(binding = 1) coherent restrict buffer P { uint partial[]; } p;
layout(binding = 2) restrict buffer B { uint result[]; } b;
void main() {
  uint t = gl_LocalInvocationIndex, w = gl_WorkGroupID.x;
#if KEEP
  if (t == 0) while (st.state[w + 1] == 0) {}
#endif
  // KEEP: :[[#@LINE+2]]: remark: merged a memory barrier
  // GO: :[[#@LINE+1]]: remark: removed a memory barrier
  memoryBarrierBuffer();
  // KEEP: :[[#@LINE+2]]: missed: kept a control barrier: other {{workgroups|invocations}} may rely on the load of 'st' at line [[#]] coming before the load of 'p'{{.*}}
  // GO: :[[#@LINE+1]]: remark: removed a control barrier
  barrier();
  b.result[w * 64 + t] = p.partial[(w + 1) * 64 + t];
}
