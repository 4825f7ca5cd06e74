// Source is compiled with lines for the remarks; without -g they are not in the output, names are.
// RUN: %lanewise opt %s -S | FileCheck %s
// CHECK-NOT: OpLine
// CHECK-NOT: OpString
// CHECK: OpSource GLSL 430{{$}}
// CHECK: OpName %data "data"
// CHECK-NOT: OpLine
// RUN: %lanewise opt %s -S -g | FileCheck %s --check-prefix=LINES
// LINES: OpString "{{.*}}debug-lines.comp"
// LINES: OpLine
// A module keeps the lines that it came with.
// RUN: %lanewise opt %s -g -o %t.spv && %lanewise opt %t.spv --ccp -S | FileCheck %s --check-prefix=LINES
// RUN: %lanewise opt %s --strip-debug -S | FileCheck %s --check-prefix=NAMELESS
// NAMELESS-NOT: OpName
// NAMELESS-NOT: OpSource
#version 430
layout(local_size_x = 1) in;
layout(binding = 0) buffer Data { float data[]; } data;
void main() { data.data[0] = 1.0; }
