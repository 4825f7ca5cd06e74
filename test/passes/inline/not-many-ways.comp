// More returns from one loop than a phi should have ways.
// RUN: %lanewise opt %s --inline --remarks=missed -S -o - 2>&1 | FileCheck %s
// CHECK-DAG: [inline:early-return-in-loop]
// CHECK-DAG: = OpFunctionCall
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { uint data[]; };
#define GUARD if (x++ == 7u) return x;
#define TEN GUARD GUARD GUARD GUARD GUARD GUARD GUARD GUARD GUARD GUARD
#define FIFTY TEN TEN TEN TEN TEN
#define MANY FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY
uint search(uint x) {
  for (uint i = 0u; i < x; ++i) { MANY MANY MANY }
  return x;
}
void main() { data[0] = search(data[1]); }
