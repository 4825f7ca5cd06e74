// What is staged in shared memory has left the buffer before the buffer is given back. Where only
// shared memory is ordered, nothing is given back.
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=1 -D GO=0 %s -o %t.keep.spv 2>&1 | FileCheck --check-prefix=KEEP %s
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=0 -D GO=1 %s -o %t.go.spv 2>&1 | FileCheck --check-prefix=GO %s
// RUN: spirv-val --target-env vulkan1.2 %t.keep.spv && spirv-val --target-env vulkan1.2 %t.go.spv
#version 430
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
layout(binding = 0) restrict buffer R { uint data[64]; coherent uint free; } r;
layout(binding = 1) restrict buffer B { uint result[64]; } b;
shared uint s[64];
void main() {
  uint t = gl_LocalInvocationIndex;
  s[t] = r.data[t];
#if KEEP
  // KEEP: :[[#@LINE+1]]: remark: merged a memory barrier
  memoryBarrierBuffer();
#endif
  // KEEP: :[[#@LINE+2]]: missed: kept a control barrier: other {{workgroups|invocations}} may rely on the load of 'r' at line [[#]] coming before the store to 'r'{{.*}}
  // GO: :[[#@LINE+1]]: remark: removed a control barrier
  barrier();
  if (t == 0) r.free = 1;
  b.result[t] = s[t];
}
