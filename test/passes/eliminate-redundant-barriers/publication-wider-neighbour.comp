// A neighbour stands in for a barrier only if it orders the memory of the signal as well.
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=1 -D GO=0 %s -o %t.keep.spv 2>&1 | FileCheck --check-prefix=KEEP %s
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=0 -D GO=1 %s -o %t.go.spv 2>&1 | FileCheck --check-prefix=GO %s
// RUN: spirv-val --target-env vulkan1.2 %t.keep.spv && spirv-val --target-env vulkan1.2 %t.go.spv
#version 430
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
#if KEEP
#define NEIGHBOUR gl_StorageSemanticsImage
#else
#define NEIGHBOUR (gl_StorageSemanticsImage | gl_StorageSemanticsBuffer)
#endif
layout(binding = 0, r32ui) restrict uniform uimage1D data;
layout(binding = 1) restrict buffer B { uint result[64]; uint flag; } b;
void main() {
  uint t = gl_LocalInvocationIndex;
  uint x = imageLoad(data, int(t)).x;
  // KEEP: :[[#@LINE+2]]: missed: kept a control barrier: other {{workgroups|invocations}} may rely on the load of 'data' at line [[#]] coming before the atomic on 'b'{{.*}}
  // GO: :[[#@LINE+1]]: remark: removed a control barrier
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, gl_StorageSemanticsImage | gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, NEIGHBOUR, gl_SemanticsAcquireRelease);
  if (t == 0) atomicExchange(b.flag, x);
}
