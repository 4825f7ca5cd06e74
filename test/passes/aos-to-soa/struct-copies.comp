#version 430
// Whole structs are loaded, stored and copied leaf by leaf; what is volatile stays so.
//
// RUN: %lanewise opt %s --aos-to-soa=aosoa:16 -S -o %t.spvasm 2> /dev/null
// RUN: FileCheck %s < %t.spvasm
// RUN: spirv-as --target-env vulkan1.2 %t.spvasm -o %t.spv && spirv-val --target-env vulkan1.2 %t.spv
// RUN: %lanewise opt %s --aos-to-soa=aosoa:16 --verify --interpreter-budget=0.2 --device=cpu --no-timing --remarks=none -o %t.v.spv 2>&1 | FileCheck --check-prefix=EQUAL %s
//
// CHECK-DAG: OpMemberDecorate %{{To.*}} 0 Volatile
// CHECK-DAG: OpMemberDecorate %{{To.*}} 0 Coherent
// CHECK: %[[A:.*]] = OpLoad %float
// CHECK: %[[B:.*]] = OpLoad %uint
// CHECK: %[[I:.*]] = OpCompositeConstruct %Inner %[[A]] %[[B]]
// CHECK: OpCompositeConstruct %Cell %{{.*}} %[[I]]
// EQUAL: outputs equal
struct Inner { float a; uint b; };
struct Cell { uint kind; Inner inner; };
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer From { Cell from[]; };
layout(binding = 1) volatile buffer To { Cell to[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  to[i ^ 1] = from[i];
}
