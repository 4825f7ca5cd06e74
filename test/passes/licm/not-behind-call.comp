// A division behind a call, which may never come back: not by 0 only because the loop does not come to it.
// RUN: %lanewise opt --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --strict --licm %t.in.spv -o %t.out.spv
// RUN: cmp %t.in.spv %t.out.spv
// RUN: %lanewise opt --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none -DMOVES %s -o %t.moves.in.spv
// RUN: %lanewise opt --strict --licm %t.moves.in.spv -o %t.moves.out.spv
// RUN: not cmp %t.moves.in.spv %t.moves.out.spv
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { uint data[]; };
uint f(uint x) {
#ifndef MOVES
  while (x != 7u) x = x * 3u + 1u;
#endif
  return x;
}
void main() {
  uint at = gl_GlobalInvocationID.x, sum = data[at], count = data[at + 1u], divisor = data[at + 2u];
  do {
#ifdef MOVES
    sum += 3u;
#else
    sum += f(sum);
#endif
    sum += count / divisor;
  } while (sum < 100u);
  data[at] = sum;
}
