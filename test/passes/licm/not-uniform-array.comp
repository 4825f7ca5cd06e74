// A host binds as much of an array of a uniform block as it has: what a test guards is not read in front of it, though
// the index stays in the array as it is declared. A member is bound with its block.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --licm %t.in.spv -S -o - | FileCheck %s --check-prefix=STAYS
// STAYS: OpLoopMerge
// STAYS: Sqrt
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --remarks=none -DMOVES %s -o %t.moves.spv
// RUN: %lanewise opt --licm %t.moves.spv -S -o - | FileCheck %s --check-prefix=MOVES
// MOVES: Sqrt
// MOVES: OpLoopMerge
// Nor by an arm that is flattened.
// RUN: %lanewise opt --branch-to-predication=always --remarks=all %t.in.spv -o %t.flat.spv 2>&1 | FileCheck %s
// CHECK: OpLoad stays in the branch
#version 430
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { float data[]; };
layout(binding = 1) uniform Block { uint count, rounds; float scale; vec4 table[32]; };
void main() {
  const uint at = gl_GlobalInvocationID.x, place = gl_LocalInvocationIndex;
  float sum = data[at];
  for (uint n = 0u; n < rounds; ++n)
#ifdef MOVES
    if (place < count) sum = sum * 0.5 + sqrt(scale);
#else
    if (place < count) sum = sum * 0.5 + sqrt(table[place].x);
#endif
  data[at] = sum;
}
