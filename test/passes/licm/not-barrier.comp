// A load of what others may write before the barrier that the loop passes.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --strict --licm %t.in.spv -o %t.out.spv
// RUN: cmp %t.in.spv %t.out.spv
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none -DMOVES %s -o %t.moves.in.spv
// RUN: %lanewise opt --strict --licm %t.moves.in.spv -o %t.moves.out.spv
// RUN: not cmp %t.moves.in.spv %t.moves.out.spv
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { float data[]; };
shared float tile[32];
void main() {
  uint at = gl_LocalInvocationID.x, beside = at ^ 1u;
  float sum = 0.0;
  tile[at] = float(at);
  barrier();
  for (uint n = 0u; n < 9u; ++n) {
    sum += tile[beside] * float(n);
#ifndef MOVES
    barrier();
#endif
  }
  data[at] = sum;
}
