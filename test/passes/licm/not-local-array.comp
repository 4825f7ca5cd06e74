// Local arrays whose elements are stored take the registers that a subgroup would keep sums in.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --strict --licm %t.in.spv -o %t.out.spv
// RUN: cmp %t.in.spv %t.out.spv
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none -DELEMENTS=65 %s -o %t.memory.in.spv
// RUN: %lanewise opt --strict --licm %t.memory.in.spv -o %t.memory.out.spv
// RUN: not cmp %t.memory.in.spv %t.memory.out.spv
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none -DTABLE %s -o %t.table.in.spv
// RUN: %lanewise opt --strict --licm %t.table.in.spv -o %t.table.out.spv
// RUN: not cmp %t.table.in.spv %t.table.out.spv
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { uint data[]; };
layout(binding = 1) uniform Sizes { uint width, height; };
#ifndef ELEMENTS
#define ELEMENTS 64
#endif
void main() {
  uint at = gl_GlobalInvocationID.x, w = width, h = height, sum = 0u;
#ifdef TABLE
  const uint kept[4] = uint[](3u, 1u, 4u, 2u);
#else
  uint kept[ELEMENTS];
#endif
  for (uint n = 0u; n < 200u; ++n) {
#ifndef TABLE
    kept[(n ^ data[n]) % ELEMENTS] = n;
#endif
    sum += kept[data[at + n] & 3u] + (w ^ h);
  }
  data[at] = sum;
}
