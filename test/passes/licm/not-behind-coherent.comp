// A load of what another invocation has written before it set a flag, which the loop reads as it is now.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --strict --licm %t.in.spv -o %t.out.spv
// RUN: cmp %t.in.spv %t.out.spv
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none -DMOVES %s -o %t.moves.in.spv
// RUN: %lanewise opt --strict --licm %t.moves.in.spv -o %t.moves.out.spv
// RUN: not cmp %t.moves.in.spv %t.moves.out.spv
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { uint data[]; };
#ifndef MOVES
coherent
#endif
layout(binding = 1, r32ui) uniform readonly uimageBuffer flags;
layout(binding = 2) readonly buffer Result { uint result; };
void main() {
  uint at = gl_GlobalInvocationID.x, flag, value, n = 0u;
  do {
    flag = imageLoad(flags, int(n)).x;
    value = result;
    ++n;
  } while (flag == 0u);
  data[at] = value;
}
