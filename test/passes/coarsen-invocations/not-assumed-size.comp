// A size that is only assumed is not the one that the host must choose.
// RUN: %lanewise opt --coarsen-invocations=2,1,1 --workgroup-size=32,1,1 --remarks=all %s -o %t.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// CHECK: missed: {{.*}}its size is a specialization constant; {{.*}}[coarsen-invocations:workgroup-size]
//
// RUN: %lanewise opt --set-spec-const-default-value=0:32 --freeze-spec-const --coarsen-invocations=2,1,1 --remarks=all %s -o %t.frozen.spv 2>&1 \
// RUN:   | FileCheck --check-prefix=FROZEN %s
// RUN: spirv-val --target-env vulkan1.2 %t.frozen.spv
// FROZEN: remark: {{.*}}workgroup of 32x1x1 now 16x1x1
#version 430
layout(local_size_x_id = 0) in;
layout(binding = 1) writeonly buffer B { uint b[]; };
void main() { b[gl_GlobalInvocationID.x] = gl_LocalInvocationID.x; }
