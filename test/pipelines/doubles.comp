// The bits of a negative double are a negative integer, which --per-pipeline writes and reads.
// RUN: rm -rf %t && mkdir %t && %lanewise opt -g %s -o %t/x.spv
// RUN: printf '[[pipeline]]\nfile = "%t/x.spv"\nconstants = { 0 = -1.5 }\n' > %t/p.toml
// RUN: %lanewise opt -O %t/x.spv --pipelines=%t/p.toml --per-pipeline -o %t/out -q
// RUN: FileCheck %s --check-prefix=WRITTEN < %t/out/pipelines.toml
// WRITTEN: constants = { 0 = -4613937818241073152 }
// RUN: sed 's|^file = .*|file = "%t/x.spv"|' %t/out/pipelines.toml > %t/again.toml
// RUN: %lanewise opt -O %t/x.spv --pipelines=%t/again.toml --per-pipeline -o %t/second -q
// RUN: cmp %t/out/x.0.spv %t/second/x.0.spv
//
// What nobody means as bits is still refused.
// RUN: printf '[[pipeline]]\nfile = "%t/x.spv"\nconstants = { 0 = -2 }\n' > %t/p.toml
// RUN: not %lanewise opt -O %t/x.spv --pipelines=%t/p.toml --per-pipeline -o %t/none 2>&1 | FileCheck %s
// CHECK: an integer here is the bits of its value; write -2.0
#version 450
layout(local_size_x = 8) in;
layout(constant_id = 0) const double factor = 1.0;
layout(binding = 0) buffer Data { double values[]; };
void main() { values[gl_GlobalInvocationID.x] *= factor; }
