// One id gives the workgroup's size, whose default is 1, and a constant with another default: a text has one default
// for it.
// RUN: %lanewise opt -g %s -o %t.spv
// RUN: not %lanewise transpile %t.spv --to=glsl 2>&1 | FileCheck %s
// RUN: not %lanewise transpile %t.spv --to=msl 2>&1 | FileCheck %s
// CHECK: specialization constant 3 has several defaults (the workgroup's size may be one of them); give its value with --spec-const=3:VALUE
// RUN: %lanewise transpile %t.spv --to=glsl --spec-const=3:4 -o - | FileCheck %s --check-prefix=GIVEN
// GIVEN: local_size_x = 4
// GIVEN: = 4004u
// RUN: %lanewise transpile %t.spv --to=hlsl --spec-const=3:4 --verify --require-verified --device=cpu -o - 2> /dev/null | FileCheck %s --check-prefix=HLSL
// HLSL: 4004u
// HLSL: numthreads(4, 1, 1)
//
// A pipeline that does not name it has each default.
// RUN: rm -rf %t && mkdir %t && cp %t.spv %t/x.spv
// RUN: printf '[[pipeline]]\nfile = "%t/x.spv"\n' > %t/p.toml
// RUN: %lanewise opt -O %t/x.spv --pipelines=%t/p.toml --per-pipeline -o %t/out -q
// RUN: %lanewise opt -S %t/out/x.0.spv -o - | FileCheck %s --check-prefix=PIPELINE
// PIPELINE: LocalSize 1 1 1
// PIPELINE: OpStore {{.*}} %uint_8001
#version 450
layout(local_size_x_id = 3) in;
layout(constant_id = 3) const uint factor = 8;
layout(binding = 0) buffer Data { uint values[]; };
void main() { values[gl_GlobalInvocationID.x] = factor * 1000u + gl_WorkGroupSize.x; }
