// Behind a loop it is computed as often as in front of it, unless fewer registers are alive in the loop.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --strict --sink %t.in.spv -o %t.out.spv
// RUN: cmp %t.in.spv %t.out.spv
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none -DFEWER %s -o %t.fewer.in.spv
// RUN: %lanewise opt --strict --sink %t.fewer.in.spv -o %t.fewer.out.spv
// RUN: not cmp %t.fewer.in.spv %t.fewer.out.spv
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none -DARM %s -o %t.arm.in.spv
// RUN: %lanewise opt --strict --sink %t.arm.in.spv -o %t.arm.out.spv
// RUN: not cmp %t.arm.in.spv %t.arm.out.spv
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { uint data[]; };
void main() {
  uint at = gl_GlobalInvocationID.x, x = data[at], y = data[at + 1u];
  uvec2 dear = uvec2(x % (y | 1u), x % (y | 2u));
  uint more = x % (y | 4u);
  uint sum = 0u;
  for (uint n = 0u; n < 64u; ++n) {
    for (uint k = 0u; k < 4u; ++k) sum = sum * 5u + data[sum & 31u];
    sum ^= n;
  }
#ifdef FEWER
  data[at + 2u] = more; // three are made of two
#endif
#ifdef ARM
  if (sum > 3u)
#endif
    data[at] = sum + (dear.x ^ dear.y);
}
