// A function that returns early from a loop and only computes stays a call: drivers inline it better. One that is small
// may compute an index, which passes have to see.
// RUN: %lanewise opt %s --inline --globaldce --remarks=missed -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// RUN: FileCheck %s < %t.spvasm
// REMARK: not-only-computes.comp:[[#@LINE+22]]: missed: call not inlined: the function returns early and only computes, so a driver inlines it better [inline:early-return]
// REMARK-NOT: missed
// CHECK: %main = OpFunction
// CHECK: = OpFunctionCall %uint %steps
// CHECK-NOT: = OpFunctionCall
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { uint data[]; };
shared uint tile[64];
uint steps(uint x) {
  for (uint n = 0u; n < 100u; ++n) {
    if (x == 1u) return n;
    x = (x & 1u) != 0u ? 3u * x + 1u : x / 2u;
  }
  return 100u;
}
uint mirrored(uint i) {
  if (i > 31u) return 63u - i;
  return i;
}
void main() {
  uint i = gl_LocalInvocationIndex;
  tile[mirrored(i)] = steps(data[i]);
  data[i] = tile[i];
}
