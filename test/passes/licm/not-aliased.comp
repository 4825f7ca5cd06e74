// A uniform block that says it may be a buffer that the loop writes.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none %s -S -o %t.moves.spvasm
// RUN: sed 's/\(OpDecorate %[^ ]* \)Binding 1/&\n\1Aliased/' %t.moves.spvasm > %t.in.spvasm
// RUN: grep -q Aliased %t.in.spvasm
// RUN: %lanewise opt --strict %t.in.spvasm -o %t.in.spv
// RUN: %lanewise opt --strict --licm %t.in.spv -o %t.out.spv
// RUN: cmp %t.in.spv %t.out.spv
// RUN: %lanewise opt --strict %t.moves.spvasm -o %t.moves.in.spv
// RUN: %lanewise opt --strict --licm %t.moves.in.spv -o %t.moves.out.spv
// RUN: not cmp %t.moves.in.spv %t.moves.out.spv
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { float data[]; };
layout(binding = 1) uniform Block { float scale; };
void main() {
  uint at = gl_GlobalInvocationID.x;
  for (uint n = 0u; n < 9u; ++n) data[at + n] = scale;
}
