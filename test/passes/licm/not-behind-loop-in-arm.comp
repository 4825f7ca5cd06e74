// A load behind a branch that leads to a loop, which may never end.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --strict --licm %t.in.spv -o %t.out.spv
// RUN: cmp %t.in.spv %t.out.spv
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none -DMOVES %s -o %t.moves.in.spv
// RUN: %lanewise opt --strict --licm %t.moves.in.spv -o %t.moves.out.spv
// RUN: not cmp %t.moves.in.spv %t.moves.out.spv
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { float data[]; };
layout(binding = 1) uniform Block { uint index; float table[8]; };
void main() {
  uint at = gl_GlobalInvocationID.x, place = index;
  float sum = data[at];
  for (uint n = 0u; n < 9u; ++n) {
    if (sum < 3.0) {
#ifdef MOVES
      sum *= 0.5;
#else
      while (sum < 8.0) sum *= 1.5;
#endif
    }
    sum += table[place];
  }
  data[at] = sum;
}
