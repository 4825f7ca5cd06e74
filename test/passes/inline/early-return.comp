// What is behind a return from inside a selection moves into the arm that goes on. Where several arms go on, a flag tells.
// RUN: %lanewise opt --target-env=vulkan1.2 --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --inline --globaldce --target-env=vulkan1.2 --remarks=missed %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK-NOT: OpFunctionCall
// CHECK:      OpStore [[FLAG:%[^ ]+]] %false
// CHECK-NOT:  OpFunctionCall
// CHECK:      OpSelectionMerge [[REST:%[^ ]+]] None
// CHECK-NEXT: OpBranchConditional {{%[^ ]+}} [[THEN:%[^ ]+]] [[ELSE:%[^ ]+]]
// CHECK-NEXT: [[THEN]] = OpLabel
// CHECK-NEXT: OpStore [[VALUE:%[^ ]+]] %uint_1
// CHECK-NEXT: OpBranch [[REST]]
// CHECK-NEXT: [[ELSE]] = OpLabel
// CHECK:      OpSelectionMerge [[MERGE:%[^ ]+]] None
// CHECK-NEXT: OpBranchConditional {{%[^ ]+}} {{%[^ ]+}} [[MERGE]]
// CHECK:      OpSelectionMerge [[INNER:%[^ ]+]] None
// CHECK:      OpStore [[VALUE]] %uint_2
// CHECK-NEXT: OpStore [[FLAG]] %true
// CHECK-NEXT: OpBranch [[INNER]]
// CHECK:      [[INNER]] = OpLabel
// CHECK-NEXT: OpBranch [[MERGE]]
// CHECK-NEXT: [[MERGE]] = OpLabel
// CHECK-NEXT: [[RETURNED:%[^ ]+]] = OpLoad %bool [[FLAG]]
// CHECK-NEXT: OpSelectionMerge [[OUTER:%[^ ]+]] None
// CHECK-NEXT: OpBranchConditional [[RETURNED]] [[OUTER]] [[STAY:%[^ ]+]]
// CHECK-NEXT: [[STAY]] = OpLabel
// CHECK:      OpStore [[VALUE]] {{%[^ ]+$}}
// CHECK-NEXT: OpBranch [[OUTER]]
// CHECK-NEXT: [[OUTER]] = OpLabel
// CHECK-NEXT: OpBranch [[REST]]
// CHECK-NEXT: [[REST]] = OpLabel
// CHECK-NEXT: OpLoad %uint [[VALUE]]
// CHECK-NOT: OpFunctionCall
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { uint data[]; };

uint bucket(uint x) {
  if (x < 10u) return 1u;
  if (x < 100u) {
    if ((x & 1u) != 0u) return 2u;
    x += 3u;
  }
  return x / 10u;
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  data[i] = bucket(data[i] & 127u) + bucket(i);
}
