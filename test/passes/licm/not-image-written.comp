// A texel of an image, in a loop that writes one.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --strict --licm %t.in.spv -o %t.out.spv
// RUN: cmp %t.in.spv %t.out.spv
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none -DMOVES %s -o %t.moves.in.spv
// RUN: %lanewise opt --strict --licm %t.moves.in.spv -o %t.moves.out.spv
// RUN: not cmp %t.moves.in.spv %t.moves.out.spv
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { float data[]; };
layout(binding = 1) uniform sampler2D source;
layout(binding = 2, r32f) uniform image2D target;
void main() {
  uint at = gl_GlobalInvocationID.x;
  float sum = data[at];
  ivec2 place = ivec2(int(at) & 7, 3);
  for (int n = 0; n < 9; ++n) {
    sum = sum * 0.5 + texelFetch(source, place, 0).x;
#ifndef MOVES
    imageStore(target, ivec2(n), vec4(sum));
#endif
  }
  data[at] = sum;
}
