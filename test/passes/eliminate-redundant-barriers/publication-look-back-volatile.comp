// The same by loads and stores that are volatile and coherent, as most look-back scans do it. Of a
// buffer that is neither, nothing is announced.
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=1 -D GO=0 %s -o %t.keep.spv 2>&1 | FileCheck --check-prefix=KEEP %s
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=0 -D GO=1 %s -o %t.go.spv 2>&1 | FileCheck --check-prefix=GO %s
// RUN: spirv-val --target-env vulkan1.2 %t.keep.spv && spirv-val --target-env vulkan1.2 %t.go.spv
#version 430
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
#if KEEP
layout(binding = 0) volatile coherent buffer S { uint state[]; } st;
layout(binding = 1) coherent restrict buffer P { uint partial[]; } p;
#else
layout(binding = 0) restrict buffer S { uint state[]; } st;
layout(binding = 1) restrict buffer P { uint partial[]; } p;
#endif
layout(binding = 2) restrict buffer B { uint result[]; } b;
void main() {
  uint t = gl_LocalInvocationIndex, w = gl_WorkGroupID.x;
#if KEEP
  p.partial[w * 64 + t] = w;
  // KEEP: :[[#@LINE+1]]: remark: merged a memory barrier
  memoryBarrierBuffer();
  // KEEP: :[[#@LINE+1]]: missed: kept a control barrier: other {{workgroups|invocations}} may rely on the store to 'p' at line [[#]] coming before the store to 'st'{{.*}}
  barrier();
  if (t == 0) st.state[w] = 1;
#else
  uint x = p.partial[w * 64 + t];
  // GO: :[[#@LINE+1]]: remark: removed a memory barrier
  memoryBarrierBuffer();
  // GO: :[[#@LINE+1]]: remark: removed a control barrier
  barrier();
  if (t == 0) st.state[w] = x;
#endif
}
