// More than 200 constructs around one another: what is in one function goes into a switch, and what functions in functions need
// stays a call.
// RUN: %lanewise opt %s --inline --globaldce --remarks=missed -S -o - 2>&1 | FileCheck %s
// RUN: %lanewise opt -DFEW %s --inline --remarks=missed -S -o - 2>&1 | FileCheck --check-prefix=FEW %s
// CHECK-DAG: [inline:nesting]
// CHECK-DAG: %main = OpFunction
// CHECK-DAG: = OpFunctionCall %uint %outmost
// CHECK-DAG: %outmost_u1_ = OpFunction
// CHECK-DAG: OpSwitch %uint_0 {{%[^ ]+$}}
// FEW-NOT: missed
// FEW: %main = OpFunction
// FEW-NOT: OpFunctionCall
// FEW-NOT: OpSwitch
// FEW: OpFunctionEnd
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { uint data[]; };
#define GUARD if (x++ == 7u) return x;
#define TEN GUARD GUARD GUARD GUARD GUARD GUARD GUARD GUARD GUARD GUARD
#define FIFTY TEN TEN TEN TEN TEN
uint tooMany(uint x) {
  FIFTY FIFTY FIFTY FIFTY GUARD
  return x;
}
uint inner(uint x) {
  FIFTY FIFTY FIFTY TEN TEN TEN TEN
  GUARD GUARD GUARD GUARD GUARD GUARD GUARD GUARD GUARD
  return x;
}
uint outer(uint x) {
  GUARD
#ifndef FEW
  GUARD
#endif
  return inner(x);
}
uint outmost(uint x) {
  if (x == 3u) return 5u;
  return outer(x);
}
void main() {
#ifndef FEW
  data[1] = tooMany(data[1]);
  data[0] = outmost(data[1]);
#else
  data[0] = outer(data[1]);
#endif
}
