// The same indices at two barriers: at the first one each lane reads what it wrote, at the second one what another wrote. What is
// found for one says nothing of the other, since other lanes take part.
// RUN: %lanewise opt --inline-entry-points-exhaustive --ssa-rewrite --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-barriers --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: removed a control barrier
// CHECK: kept a control barrier: the store to 'tile' at line [[#]] and the load of 'tile' at line [[#]] may access the same location from different invocations [eliminate-redundant-barriers:conflict]
// CODE-COUNT-1: {{^ *}}OpControlBarrier
// CODE-NOT: {{^ *}}OpControlBarrier
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) buffer B { uint b[]; };
shared uint tile[32];
void main() {
  uint t = gl_LocalInvocationIndex;
  uint own = t & 31u, sum = 0u;
  if (t < 32u) tile[own] = t * 3u;
  barrier();
  if (t < 32u) sum += tile[own];
  if (t < 32u) tile[own] = sum + 1u;
  barrier();
  if (t >= 32u) sum += tile[own];
  b[gl_GlobalInvocationID.x] = sum;
}
