// Where every buffer is coherent, as WebGPU's compilers write it, barriers of shared memory are judged
// by shared memory alone.
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=1 -D GO=0 %s -o %t.keep.spv 2>&1 | FileCheck --check-prefix=KEEP %s
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=0 -D GO=1 %s -o %t.go.spv 2>&1 | FileCheck --check-prefix=GO %s
// RUN: spirv-val --target-env vulkan1.2 %t.keep.spv && spirv-val --target-env vulkan1.2 %t.go.spv
#version 430
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
layout(binding = 0) coherent buffer A { uint a[]; };
layout(binding = 1) coherent buffer B { uint b[]; };
shared uint s[64];
void main() {
  uint t = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;
  s[t] = a[g];
#if KEEP
  // KEEP: :[[#@LINE+1]]: missed: kept a control barrier: the store to 's' at line [[#]] and the load of 's'{{.*}}
  barrier();
  b[g] = s[63 - t];
#else
  // GO: :[[#@LINE+1]]: remark: removed a control barrier
  barrier();
  b[g] = s[t];
#endif
}
