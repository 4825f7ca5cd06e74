#version 430
// A copy of a buffer's elements in a local array is what they were when it was made: -O may not read the buffer again
// behind the store, through another binding of what may be one buffer, or behind the release.
//
// RUN: %lanewise opt %s -O -S | FileCheck %s
// CHECK-COUNT-4: OpLoad %uint
// CHECK: OpAtomicStore
// CHECK: [[COPY:%[0-9]+]] = OpAccessChain %_ptr_Function_uint
// CHECK-NEXT: OpLoad %uint [[COPY]]
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64) in;
layout(scalar, binding = 0) buffer From { uint four[4]; } from;
layout(scalar, binding = 1) buffer To { uint flag; uint values[]; } to;
void main() {
  uint copy[4] = uint[4](from.four[0], from.four[1], from.four[2], from.four[3]);
  to.values[gl_LocalInvocationIndex + 64] = 7;
  atomicStore(to.flag, 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
  to.values[gl_LocalInvocationIndex] = copy[gl_LocalInvocationIndex & 3];
}
