// A workgroup that no device of the target takes; one by specialization constants counts as soon as it is known.
// RUN: not %lanewise lint %s --rule=resource-limits --target=nvidia | FileCheck %s
// CHECK: error: a workgroup of 2048 invocations exceeds the 1024 of nvidia
// RUN: %lanewise lint %s --rule=resource-limits --target=nvidia -DBY_CONSTANT | count 0
// RUN: not %lanewise lint %s --rule=resource-limits --target=nvidia -DBY_CONSTANT --spec-const=0:4096 | FileCheck %s --check-prefix=GIVEN
// GIVEN: error: a workgroup of 4096 invocations exceeds
#version 430
#ifdef BY_CONSTANT
layout(local_size_x_id = 0) in;
#else
layout(local_size_x = 64, local_size_y = 32) in;
#endif
layout(set = 0, binding = 0) buffer Data { float data[]; };

void main() { data[gl_GlobalInvocationID.x] += 1; }
