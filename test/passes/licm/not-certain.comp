// A load that may be out of range, in a loop that may end before it comes to it.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --strict --licm %t.in.spv -o %t.out.spv
// RUN: cmp %t.in.spv %t.out.spv
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none -DMOVES %s -o %t.moves.in.spv
// RUN: %lanewise opt --strict --licm %t.moves.in.spv -o %t.moves.out.spv
// RUN: not cmp %t.moves.in.spv %t.moves.out.spv
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { float data[]; };
layout(binding = 1) uniform Block { float scale; uint count, divisor; float table[8]; };
void main() {
  uint at = gl_GlobalInvocationID.x;
  float sum = data[at];
  uint limit = count, index = divisor;
#ifdef MOVES
  for (uint n = 0u; n < 9u; ++n) {
    sum += table[index];
    if (sum > 100.0) break;
  }
#else
  for (uint n = 0u; n < limit; ++n) sum += table[index];
#endif
  data[at] = sum;
}
