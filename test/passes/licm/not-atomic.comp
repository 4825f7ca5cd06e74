// An atomic, and a load behind which one stands.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --strict --licm %t.in.spv -o %t.out.spv
// RUN: cmp %t.in.spv %t.out.spv
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none -DMOVES %s -o %t.moves.in.spv
// RUN: %lanewise opt --strict --licm %t.moves.in.spv -o %t.moves.out.spv
// RUN: not cmp %t.moves.in.spv %t.moves.out.spv
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { float data[]; };
layout(binding = 1) buffer Counter { uint counter, limit; };
void main() {
  uint at = gl_GlobalInvocationID.x, sum = 0u;
  for (uint n = 0u; n < 9u; ++n) {
    sum += limit;
#ifndef MOVES
    sum += atomicAdd(counter, 1u);
#endif
  }
  data[at] = float(sum);
}
