// A division by what may be 0, in a loop that may end before it comes to it.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --strict --licm %t.in.spv -o %t.out.spv
// RUN: cmp %t.in.spv %t.out.spv
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none -DMOVES %s -o %t.moves.in.spv
// RUN: %lanewise opt --strict --licm %t.moves.in.spv -o %t.moves.out.spv
// RUN: not cmp %t.moves.in.spv %t.moves.out.spv
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { float data[]; };
layout(binding = 1) buffer Numbers { uint numbers[]; };
void main() {
  uint at = gl_GlobalInvocationID.x, sum = 0u, count = numbers[at], divisor = numbers[at + 1u];
#ifdef MOVES
  divisor = (divisor & 7u) + 1u;
#endif
  for (uint n = 0u; n < count; ++n) sum ^= n + count / divisor;
  data[at] = float(sum);
}
