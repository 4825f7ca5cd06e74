// Without the GLSL450 model, a plain store is a signal as far as it is made available: to the workgroup
// alone, or to all.
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=1 -D GO=0 %s -o %t.keep.spv 2>&1 | FileCheck --check-prefix=KEEP %s
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=0 -D GO=1 %s -o %t.go.spv 2>&1 | FileCheck --check-prefix=GO %s
// RUN: spirv-val --target-env vulkan1.2 %t.keep.spv && spirv-val --target-env vulkan1.2 %t.go.spv
#version 430
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
#if KEEP
layout(binding = 0) restrict devicecoherent buffer F { uint flag; } f;
#else
layout(binding = 0) restrict workgroupcoherent buffer F { uint flag; } f;
#endif
layout(binding = 1) restrict buffer B { uint data[64]; uint result[64]; } b;
void main() {
  uint t = gl_LocalInvocationIndex;
  uint x = b.data[t];
  // KEEP: :[[#@LINE+2]]: missed: kept a control barrier: other {{workgroups|invocations}} may rely on the load of 'b' at line [[#]] coming before the store to 'f'{{.*}}
  // GO: :[[#@LINE+1]]: remark: removed a control barrier
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
  if (t == 0) f.flag = 1;
  b.result[t] = x;
}
