// A fence works through a signal only if it names the memory of the signal: texels are announced by
// an atomic on a buffer. Without the atomic, only what is announced stays.
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=1 -D GO=0 %s -o %t.keep.spv 2>&1 | FileCheck --check-prefix=KEEP %s
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=0 -D GO=1 %s -o %t.go.spv 2>&1 | FileCheck --check-prefix=GO %s
// RUN: spirv-val --target-env vulkan1.2 %t.keep.spv && spirv-val --target-env vulkan1.2 %t.go.spv
#version 430
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
layout(binding = 0, r32ui) restrict uniform uimage1D data;
layout(binding = 1) restrict buffer B { uint result[64]; uint flag; } b;
shared uint s[64];
void main() {
  uint t = gl_LocalInvocationIndex;
  s[t] = imageLoad(data, int(t)).x;
  // KEEP-NOT: dropped buffer
  // KEEP: :[[#@LINE+3]]: missed: kept a control barrier
  // GO: :[[#@LINE+2]]: remark: dropped buffer and image memory
  // GO: :[[#@LINE+1]]: missed: kept a control barrier
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer | gl_StorageSemanticsImage | gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
  // KEEP-NOT: dropped buffer
#if KEEP
  if (t == 0) atomicExchange(b.flag, 1);
#endif
  b.result[t] = s[63 - t];
}
