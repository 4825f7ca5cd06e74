// A local array that the loop writes.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --strict --licm %t.in.spv -o %t.out.spv
// RUN: cmp %t.in.spv %t.out.spv
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none -DMOVES %s -o %t.moves.in.spv
// RUN: %lanewise opt --strict --licm %t.moves.in.spv -o %t.moves.out.spv
// RUN: not cmp %t.moves.in.spv %t.moves.out.spv
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { float data[]; };
void main() {
  uint at = gl_GlobalInvocationID.x;
  float sum = data[at];
  uint place = at & 3u;
  float own[4] = float[4](sum, sum + 1.0, sum + 2.0, sum + 3.0);
  for (uint n = 0u; n < 9u; ++n) {
    sum = sum * 0.5 + own[place];
#ifndef MOVES
    own[n] = sum;
#endif
  }
  data[at] = sum;
}
