// A loop that is never passed.
// RUN: %lanewise opt --sroa --mem2reg --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --strict --licm %t.in.spv -o %t.out.spv
// RUN: cmp %t.in.spv %t.out.spv
// RUN: %lanewise opt --sroa --mem2reg --remarks=none -DMOVES %s -o %t.moves.in.spv
// RUN: %lanewise opt --strict --licm %t.moves.in.spv -o %t.moves.out.spv
// RUN: not cmp %t.moves.in.spv %t.moves.out.spv
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { float data[]; };
layout(binding = 1) uniform Block { uint index; float table[8]; };
#ifdef MOVES
const uint kCount = 9u;
#else
const uint kCount = 0u;
#endif
void main() {
  uint at = gl_GlobalInvocationID.x, place = index;
  float sum = data[at];
  for (uint n = 0u; n < kCount; ++n) sum += table[place];
  data[at] = sum;
}
