// What a physical pointer reads may be overwritten by somebody who is told that it was read.
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=1 -D GO=0 %s -o %t.keep.spv 2>&1 | FileCheck --check-prefix=KEEP %s
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=0 -D GO=1 %s -o %t.go.spv 2>&1 | FileCheck --check-prefix=GO %s
// RUN: spirv-val --target-env vulkan1.2 %t.keep.spv && spirv-val --target-env vulkan1.2 %t.go.spv
#version 430
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 64) in;
layout(buffer_reference) buffer Ring { uint data[64]; };
layout(push_constant) uniform P { Ring ring; } p;
layout(binding = 0, r32ui) restrict uniform uimage1D result;
layout(binding = 1, r32ui) restrict uniform uimage1D flag;
void main() {
  uint t = gl_LocalInvocationIndex;
  uint x = p.ring.data[t];
  // KEEP: :[[#@LINE+2]]: missed: kept a control barrier: other {{workgroups|invocations}} may rely on the load of an unknown buffer at line [[#]] coming before the atomic on 'flag'{{.*}}
  // GO: :[[#@LINE+1]]: remark: removed a control barrier
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
#if KEEP
  if (t == 0) imageAtomicExchange(flag, 0, 1);
#endif
  imageStore(result, int(t), uvec4(x));
}
