// More than 200 selections around one another.
// RUN: %lanewise opt %s --inline --remarks=missed -S -o - 2>&1 | FileCheck %s
// RUN: %lanewise opt -DFEW %s --inline --remarks=missed -S -o - 2>&1 | FileCheck --check-prefix=FEW %s
// CHECK-DAG: [inline:nesting]
// CHECK-DAG: = OpFunctionCall %uint %outer
// FEW-NOT: missed
// FEW: %main = OpFunction
// FEW-NOT: OpFunctionCall
// FEW: OpFunctionEnd
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { uint data[]; };
#define GUARD if (x++ == 7u) return x;
#define TEN GUARD GUARD GUARD GUARD GUARD GUARD GUARD GUARD GUARD GUARD
#define FIFTY TEN TEN TEN TEN TEN
uint inner(uint x) {
  FIFTY FIFTY
  return x;
}
uint outer(uint x) {
  FIFTY TEN TEN TEN TEN
#ifndef FEW
  TEN GUARD
#endif
  return inner(x);
}
void main() { data[0] = outer(data[1]); }
