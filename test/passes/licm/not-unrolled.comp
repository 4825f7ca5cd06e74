// A loop that asks to be unrolled: the compiler has one of each value then.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --strict --licm %t.in.spv -o %t.out.spv
// RUN: cmp %t.in.spv %t.out.spv
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none -DMOVES %s -o %t.moves.in.spv
// RUN: %lanewise opt --strict --licm %t.moves.in.spv -o %t.moves.out.spv
// RUN: not cmp %t.moves.in.spv %t.moves.out.spv
#version 430
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { float data[]; };
layout(binding = 1) uniform Block { float scale; uint count, divisor; float table[8]; };
void main() {
  uint at = gl_GlobalInvocationID.x;
  float sum = data[at];
#ifndef MOVES
  [[unroll]]
#endif
  for (uint n = 0u; n < 9u; ++n) sum = sum * scale + float(n);
  data[at] = sum;
}
