// A load of memory that the loop writes, be it by another name: two buffers may be one. A uniform block is none of them.
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
layout(binding = 2) buffer Other { float other[]; };
void main() {
  uint at = gl_GlobalInvocationID.x;
  for (uint n = 0u; n < 9u; ++n)
#ifdef MOVES
    data[at + n] = scale;
#else
    data[at + n] = other[5];
#endif
}
