// Decoupled look-back with atomics: the partial result is there before its flag, and the flag is seen
// before the prefix is read. Between them, nothing crosses.
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=1 -D GO=0 %s -o %t.keep.spv 2>&1 | FileCheck --check-prefix=KEEP %s
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=0 -D GO=1 %s -o %t.go.spv 2>&1 | FileCheck --check-prefix=GO %s
// RUN: spirv-val --target-env vulkan1.2 %t.keep.spv && spirv-val --target-env vulkan1.2 %t.go.spv
#version 430
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
layout(binding = 0) coherent restrict buffer P { uint partial[]; } p;
layout(binding = 1) coherent restrict buffer F { uint flag[]; } f;
layout(binding = 2) restrict buffer B { uint result[]; } b;
shared uint s;
void main() {
  uint t = gl_LocalInvocationIndex, w = gl_WorkGroupID.x;
#if KEEP
  if (t == 63) p.partial[w] = w;
  // KEEP: :[[#@LINE+1]]: remark: merged a memory barrier
  memoryBarrierBuffer();
  // KEEP: :[[#@LINE+1]]: missed: kept a control barrier: other {{workgroups|invocations}} may rely on the store to 'p' at line [[#]] coming before the atomic on 'f'{{.*}}
  barrier();
  if (t == 0) {
    atomicExchange(f.flag[w], 1);
    while (w > 0 && atomicAdd(f.flag[w - 1], 0) == 0) {}
  }
  // KEEP: :[[#@LINE+1]]: remark: merged a memory barrier
  memoryBarrierBuffer();
  // KEEP: :[[#@LINE+1]]: missed: kept a control barrier: {{.*}}
  barrier();
  b.result[w * 64 + t] = w > 0 ? p.partial[w - 1] : 0;
#else
  uint x = w;
  // GO: :[[#@LINE+1]]: remark: removed a control barrier
  barrier();
  b.result[w * 64 + t] = x;
#endif
}
