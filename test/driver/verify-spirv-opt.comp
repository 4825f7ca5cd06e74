// REQUIRES: lavapipe
// A spirv-opt pass that changes what the shader computes is found and undone: freezing the constant that the
// scenario sets is such a change. The output is the input, and the exit code is 2.
// RUN: rm -rf %t && mkdir %t && cp %s %t/factor.comp && cp %S/Inputs/factor.toml %t/
// RUN: %lanewise opt -g %t/factor.comp -o %t/factor.spv
// RUN: (%lanewise opt %t/factor.spv --freeze-spec-const --verify --scenario=%t/factor.toml --device=cpu -o %t/out.spv 2> %t/err; test $? -eq 2)
// RUN: FileCheck %s < %t/err
// CHECK: warning: the spirv-opt passes changed the outputs and were undone: 64 of 64 elements of 'data' differ
// RUN: %lanewise opt %t/factor.spv -o %t/input.spv && cmp %t/input.spv %t/out.spv
// A harmless pass is kept.
// RUN: %lanewise opt %t/factor.spv --ssa-rewrite --ccp --verify --scenario=%t/factor.toml --device=cpu -o %t/out.spv 2>&1 | FileCheck %s --check-prefix=FINE
// FINE: factor.spv: verified
#version 430
layout(local_size_x = 64) in;
layout(constant_id = 3) const uint factor = 2;
layout(binding = 0) buffer Data { uint data[]; };
void main() { data[gl_GlobalInvocationID.x] *= factor; }
