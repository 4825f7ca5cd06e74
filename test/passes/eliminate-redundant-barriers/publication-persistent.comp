// A persistent workgroup takes its next piece of work when all have read the last one. Its own element
// of what it writes needs no barrier by itself.
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=1 -D GO=0 %s -o %t.keep.spv 2>&1 | FileCheck --check-prefix=KEEP %s
// RUN: %lanewise opt --remarks=all -g --inline-entry-points-exhaustive --ssa-rewrite --eliminate-redundant-barriers --target-env=vulkan1.2 -D KEEP=0 -D GO=1 %s -o %t.go.spv 2>&1 | FileCheck --check-prefix=GO %s
// RUN: spirv-val --target-env vulkan1.2 %t.keep.spv && spirv-val --target-env vulkan1.2 %t.go.spv
#version 430
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
layout(binding = 0) restrict buffer Q { uint item[]; } q;
layout(binding = 1) restrict buffer C { uint next; uint count; } c;
layout(binding = 2) restrict buffer B { uint result[]; } b;
shared uint work;
void main() {
  uint t = gl_LocalInvocationIndex;
#if KEEP
  for (uint round = 0; round < 16; ++round) {
    uint x = q.item[round * 64 + t];
  // KEEP: :[[#@LINE+1]]: missed: kept a control barrier: {{.*}}
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
    if (t == 0) atomicAdd(c.next, 1);
    b.result[round * 64 + t] = x;
  }
#else
  for (uint round = 0; round < 16; ++round) {
    uint x = q.item[round * 64 + t];
  // GO: :[[#@LINE+1]]: remark: removed a control barrier
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
    b.result[round * 64 + t] = x;
  }
#endif
}
