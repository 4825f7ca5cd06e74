// However long an arm is, it is looked at anew for each branch around it: 512 instructions are the limit, 4096 where flattening
// is asked for.
// RUN: %lanewise opt --inline-entry-points-exhaustive --ssa-rewrite --eliminate-dead-code-aggressive --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --branch-to-predication --target-env=vulkan1.2 %t.in.spv -o %t.out.spv 2>&1 | FileCheck %s
// RUN: cmp %t.in.spv %t.out.spv
// RUN: %lanewise opt --remarks=all --branch-to-predication=always --target-env=vulkan1.2 %t.in.spv -o %t.always.spv 2>&1 | FileCheck --check-prefix=ALWAYS %s
// RUN: spirv-val --target-env vulkan1.2 %t.always.spv
// RUN: %lanewise verify %t.in.spv %t.always.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: missed: kept branch: the arms have 520 instructions (limit 512) [branch-to-predication:too-large]
// CHECK: missed: kept branch (arms: 1024): {{.*}}[branch-to-predication:too-costly]
// ALWAYS-COUNT-2: flattened branch
#version 430
#define TIMES8(step) step step step step step step step step
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
void main() {
  uint g = gl_GlobalInvocationID.x;
  uint x = a[g], y = x, z = x;
  if ((x & 1u) != 0u) {
    TIMES8(TIMES8(TIMES8(y = y * 5u;)))
    TIMES8(y = y * 3u;)
  }
  if ((x & 2u) != 0u) {
    TIMES8(TIMES8(TIMES8(z = z * 5u;)))
  }
  b[g] = y ^ z;
}
