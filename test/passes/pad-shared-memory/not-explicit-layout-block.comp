#version 430
#extension GL_EXT_shared_memory_block : require
// Two blocks with an explicit layout over the same memory (SPV_KHR_workgroup_memory_explicit_layout).
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia --pad-shared-memory -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// REMARK-NOT: padded
// REMARK: did not pad 'asWords{.words[1024]}': its memory may be aliased (Aliased or LinkageAttributes)
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { uint dst[]; };
shared Floats { float tile[32][32]; } asFloats;
shared Words { uint words[1024]; } asWords;
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  asFloats.tile[y][x] = src[y * 32 + x];
  barrier();
  dst[y * 32 + x] = asWords.words[x * 32 + y];
}
