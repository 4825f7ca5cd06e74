// What costs less than 32 additions: compilers flatten short arms, which would be longer then.
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
void main() {
  uint at = gl_GlobalInvocationID.x, x = given[at], y = given[at + 32u];
#ifdef MOVES
  uint value = (x % (y | 1u)) ^ (x % (y | 2u)) ^ (x % (y | 4u));
#else
  uint value = (x ^ (y << 3)) + (x & y) * 3u;
#endif
  if (x > y) data[at] = value;
}
