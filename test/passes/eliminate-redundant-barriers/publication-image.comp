// Texels can be what is announced, and what announces.
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=1 -D GO=0 %s -o %t.keep.spv 2>&1 | FileCheck --check-prefix=KEEP %s
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=0 -D GO=1 %s -o %t.go.spv 2>&1 | FileCheck --check-prefix=GO %s
// RUN: spirv-val --target-env vulkan1.2 %t.keep.spv && spirv-val --target-env vulkan1.2 %t.go.spv
#version 430
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
#if KEEP
layout(binding = 0, r32ui) coherent restrict uniform uimage2D data;
#else
layout(binding = 0, r32ui) readonly restrict uniform uimage2D data;
#endif
layout(binding = 1, r32ui) coherent restrict uniform uimage1D flag;
layout(binding = 2) restrict buffer B { uint result[64]; } b;
void main() {
  uint t = gl_LocalInvocationIndex;
  uint x = imageLoad(data, ivec2(t, 0)).x;
  // KEEP: :[[#@LINE+2]]: remark: merged a memory barrier
  // GO: :[[#@LINE+1]]: remark: removed a memory barrier
  memoryBarrierImage();
  // KEEP: :[[#@LINE+2]]: missed: kept a control barrier: other {{workgroups|invocations}} may rely on the load of 'data' at line [[#]] coming before the store to 'flag'{{.*}}
  // GO: :[[#@LINE+1]]: remark: removed a control barrier
  barrier();
  if (t == 0) imageStore(flag, 0, uvec4(1));
  b.result[t] = x;
}
