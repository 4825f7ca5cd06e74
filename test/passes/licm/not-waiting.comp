// A loop that waits for what others write: no iteration of its own changes anything.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --strict --licm %t.in.spv -o %t.out.spv
// RUN: cmp %t.in.spv %t.out.spv
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none -DMOVES %s -o %t.moves.in.spv
// RUN: %lanewise opt --strict --licm %t.moves.in.spv -o %t.moves.out.spv
// RUN: not cmp %t.moves.in.spv %t.moves.out.spv
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { float data[]; };
layout(binding = 1) readonly buffer Flag { uint flag; };
void main() {
  uint at = gl_GlobalInvocationID.x;
#ifdef MOVES
  for (uint n = 0u; flag == 0u && n < 9u; ++n) {}
#else
  while (flag == 0u) {}
#endif
  data[at] = 1.0;
}
