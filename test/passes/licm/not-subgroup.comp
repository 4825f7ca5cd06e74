// What depends on which invocations are still in the loop.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --target-env=vulkan1.1 --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --strict --licm --target-env=vulkan1.1 %t.in.spv -o %t.out.spv
// RUN: cmp %t.in.spv %t.out.spv
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --simplifycfg --adce --target-env=vulkan1.1 --remarks=none -DMOVES %s -o %t.moves.in.spv
// RUN: %lanewise opt --strict --licm --target-env=vulkan1.1 %t.moves.in.spv -o %t.moves.out.spv
// RUN: not cmp %t.moves.in.spv %t.moves.out.spv
#version 430
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { float data[]; };
void main() {
  uint at = gl_GlobalInvocationID.x;
  float sum = data[at], x = float(at);
  for (uint n = 0u; n < 9u; ++n) {
#ifdef MOVES
    sum = sum * 0.5 + sqrt(x);
#else
    sum = sum * 0.5 + subgroupBroadcastFirst(x);
#endif
    if (sum > 100.0) break;
  }
  data[at] = sum;
}
