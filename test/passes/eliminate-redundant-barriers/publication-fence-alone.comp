// A fence keeps a read before the flag of the same invocation, without any barrier.
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=1 -D GO=0 %s -o %t.keep.spv 2>&1 | FileCheck --check-prefix=KEEP %s
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=0 -D GO=1 %s -o %t.go.spv 2>&1 | FileCheck --check-prefix=GO %s
// RUN: spirv-val --target-env vulkan1.2 %t.keep.spv && spirv-val --target-env vulkan1.2 %t.go.spv
#version 430
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
layout(binding = 0) restrict buffer B { uint data[64]; uint result[64]; } b;
#if KEEP
layout(binding = 1) coherent restrict buffer F { uint flag[64]; } f;
#else
layout(binding = 1) restrict buffer F { uint flag[64]; } f;
#endif
void main() {
  uint t = gl_LocalInvocationIndex;
  uint x = b.data[t];
  // KEEP: :[[#@LINE+2]]: missed: kept a memory barrier: other invocations may rely on the load of 'b' at line [[#]] coming before the store to 'f' at line [[#]]
  // GO: :[[#@LINE+1]]: remark: removed a memory barrier
  memoryBarrierBuffer();
  f.flag[t] = x;
}
