// What the subgroup has once is not saved where some of its lanes need it; where all of it passes by, it is.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --strict --sink %t.in.spv -o %t.out.spv
// RUN: cmp %t.in.spv %t.out.spv
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none -DMOVES %s -o %t.moves.in.spv
// RUN: %lanewise opt --strict --sink %t.moves.in.spv -o %t.moves.out.spv
// RUN: not cmp %t.moves.in.spv %t.moves.out.spv
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { uint data[]; };
layout(binding = 2) readonly buffer Given { uint given[]; };
layout(binding = 1) uniform Block { uint divisor, limit; };
void main() {
  uint at = gl_GlobalInvocationID.x, z = divisor * 3u, x = limit;
  uint once = (x % (z | 1u)) ^ (x % (z | 2u)) ^ (x % (z | 4u));
#ifdef MOVES
  if (x > divisor) data[at] = once;
#else
  if (data[at] > 3u) data[at] = once;
#endif
}
