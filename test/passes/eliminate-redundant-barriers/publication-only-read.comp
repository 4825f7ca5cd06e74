// What the module only reads, another dispatch may write once it is told that all have read. A non-private
// read is ordered before that however narrow its scope is; a private one is by nothing.
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=1 -D GO=0 %s -o %t.keep.spv 2>&1 | FileCheck --check-prefix=KEEP %s
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=0 -D GO=1 %s -o %t.go.spv 2>&1 | FileCheck --check-prefix=GO %s
// RUN: spirv-val --target-env vulkan1.2 %t.keep.spv && spirv-val --target-env vulkan1.2 %t.go.spv
#version 430
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
layout(binding = 0) restrict buffer F { uint flag; } f;
#if KEEP
layout(binding = 1) workgroupcoherent readonly restrict buffer B { uint data[64]; } b;
#else
layout(binding = 1) readonly restrict buffer B { uint data[64]; } b;
#endif
layout(binding = 2) restrict buffer R { uint result[64]; } r;
void main() {
  uint t = gl_LocalInvocationIndex;
  uint x = b.data[t];
  // KEEP: :[[#@LINE+2]]: missed: kept a control barrier: other {{workgroups|invocations}} may rely on the load of 'b' at line [[#]] coming before the atomic on 'f'{{.*}}
  // GO: :[[#@LINE+1]]: remark: removed a control barrier
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
  if (t == 0) atomicStore(f.flag, 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
  r.result[t] = x;
}
