// What no iteration changes goes in front of the loops, out of as many as may be: the scale's square in front of both, the sum
// of row and scale in front of the inner one. What changes stays. Before and after on a device.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --strict --licm %t.in.spv -o %t.out.spv
// RUN: spirv-dis %t.out.spv | FileCheck %s
// RUN: spirv-val --target-env vulkan1.3 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise opt --strict --licm --licm %t.in.spv -o %t.twice.spv
// RUN: cmp %t.out.spv %t.twice.spv
// EQUAL: outputs equal
// CHECK: OpFunction
// CHECK: OpLoad %float
// CHECK-NEXT: [[SQUARE:%[^ ]+]] = OpFMul %float
// CHECK-NEXT: OpBranch
// CHECK: OpLoopMerge
// CHECK: OpConvertUToF
// CHECK-NEXT: OpFAdd %float {{.*}} [[SQUARE]]
// CHECK-NEXT: OpBranch
// CHECK: OpLoopMerge
// CHECK-NOT: OpFMul %float {{.*}} [[SQUARE]]
// CHECK: OpLoad %float
// CHECK: OpFMul
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { float data[]; };
layout(binding = 1) uniform Block { float scale; };
layout(binding = 2) buffer Sums { float sums[]; };
void main() {
  uint at = gl_GlobalInvocationID.x;
  float sum = scale;
  for (uint row = 0u; row < 9u; ++row)
    for (uint n = 0u; n < 9u; ++n) sum += data[(at + n) & 31u] * (float(row) + scale * scale);
  sums[at] = sum;
}
