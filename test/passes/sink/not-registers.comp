// Eight vectors alive through a loop, instead of one number, where registers are few.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --strict --sink %t.in.spv -o %t.out.spv
// RUN: cmp %t.in.spv %t.out.spv
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none -DMOVES %s -o %t.moves.in.spv
// RUN: %lanewise opt --strict --sink %t.moves.in.spv -o %t.moves.out.spv
// RUN: not cmp %t.moves.in.spv %t.moves.out.spv
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { vec4 data[]; };
#ifdef MOVES
#define USE(v) 0.0
#else
#define USE(v) dot(v, vec4(sum))
#endif
void main() {
  uint at = gl_GlobalInvocationID.x;
  vec4 p = data[at + 9u], q = data[at + 10u], r = data[at + 11u];
  float dear = dot(normalize(p) / q, sqrt(r));
  vec4 a = data[at], b = data[at + 1u], c = data[at + 2u], d = data[at + 3u], e = data[at + 4u];
  vec4 f = data[at + 5u], g = data[at + 6u], h = data[at + 7u], i = data[at + 8u];
  float sum = 0.0;
  for (uint n = 0u; n < 64u; ++n) {
    sum += a.x * float(n) + b.x * sum;
    sum += USE(a) + USE(b) + USE(c) + USE(d) + USE(e) + USE(f) + USE(g) + USE(h) + USE(i);
  }
  if (sum > 3.0) sum = dear;
  data[at].x = sum;
}
