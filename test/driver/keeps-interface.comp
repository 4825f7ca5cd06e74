// -O keeps bindings and specialization constants that nothing uses; the same pass alone is spirv-opt's.
// RUN: %lanewise opt %s -O -S | FileCheck %s
// CHECK-DAG: OpDecorate %[[UNUSED:.*]] Binding 7
// CHECK-DAG: OpDecorate %{{.*}} SpecId 3
// CHECK-DAG: OpDecorate %{{.*}} SpecId 4
// RUN: %lanewise opt %s --eliminate-dead-code-aggressive -S | FileCheck %s --check-prefix=ALONE
// ALONE-NOT: Binding 7
// RUN: %lanewise opt %s --eliminate-dead-code-aggressive --preserve-bindings -S | FileCheck %s --check-prefix=ASKED
// ASKED: Binding 7
#version 430
layout(local_size_x_id = 3) in;
layout(constant_id = 4) const uint unused = 5;
layout(binding = 7) buffer Unused { float never[]; };
layout(binding = 0) buffer Used { float data[]; };
void main() { data[gl_GlobalInvocationID.x] = 1.0; }
