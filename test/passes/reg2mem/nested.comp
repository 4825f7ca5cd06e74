// A variable of the source that arms of arms change: one variable, stored where it changes. Before and after on a device.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --target-env=vulkan1.2 --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --strict --reg2mem --target-env=vulkan1.2 %t.in.spv -o %t.out.spv
// RUN: spirv-dis %t.out.spv | FileCheck %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK-COUNT-2: OpVariable {{.*}} Function
// CHECK-NOT: OpVariable
// Of the first loop no phi is left.
// CHECK-NOT: OpPhi
// CHECK: OpSwitch
// CHECK-NOT: OpPhi
// CHECK: [[ONE:%[^ ]+]] = OpBitwiseXor
// CHECK-NEXT: OpStore [[COUNT:%[^ ]+]] [[ONE]]
// CHECK-NEXT: OpBranch
// CHECK-NOT: OpPhi
// CHECK: [[TWO:%[^ ]+]] = OpIMul %uint %{{[^ ]+}} %uint_3
// CHECK-NEXT: OpStore [[COUNT]] [[TWO]]
// CHECK-NEXT: OpBranch
// CHECK-NOT: OpPhi
// CHECK: [[MORE:%[^ ]+]] = OpBitwiseOr
// CHECK-NEXT: OpStore [[COUNT]] [[MORE]]
// CHECK-NEXT: OpBranch
// CHECK-NOT: OpPhi
// CHECK: [[FAR:%[^ ]+]] = OpINotEqual
// CHECK-NEXT: OpSelectionMerge
// CHECK-NEXT: OpBranchConditional [[FAR]]
// CHECK-NEXT: OpLabel
// CHECK-NEXT: OpStore [[COUNT]] %
// CHECK-NEXT: OpBranch
// CHECK-NOT: OpStore [[COUNT]]
// CHECK-NOT: OpPhi
// CHECK: OpFunctionEnd
// RUN: %lanewise opt --strict --reg2mem --reg2mem --target-env=vulkan1.2 %t.in.spv -o %t.twice.spv
// RUN: cmp %t.out.spv %t.twice.spv
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { uint data[]; };
layout(binding = 1) uniform Table { uvec4 table[32]; };
void main() {
  uint self = gl_GlobalInvocationID.x * 128u, x = data[self], count = 1u;
  for (uint i = 0u; i < 24u; ++i) {
    const uvec4 row = table[i];
    if (row.x != 0u) {
      const uint before = count;
      switch (row.y & 7u) {
        case 1u: case 4u: data[self + 32u] = i; count ^= row.w; break;
        case 2u: case 3u:
          if (row.z < x) { data[self + 64u] = i; count *= 3u; }
          else if (row.w > x) { data[self + 96u] = row.w; count |= row.w; }
          break;
        default: break;
      }
      if ((count & 256u) != 0u) count = before; // the variable has another value by then
    }
  }
  data[self] = count;
}
