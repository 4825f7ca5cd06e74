#version 430
// Code for subgroups of another size does not run on the target, so what it does to banks does not count. Code under
// a condition that nobody knows does.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O --verify --interpreter-budget=0.2 --no-timing -o %t.spv 2> %t.remarks
// RUN: FileCheck --check-prefix=NVIDIA %s < %t.remarks
// NVIDIA: did not pad 'wide[32][32]'
// NVIDIA-NEXT: Store of 4 bytes, degree 1, weight 1
// NVIDIA-NEXT: Load of 4 bytes, degree 32, weight 0
// NVIDIA-NEXT: Load of 4 bytes, degree 1, weight 1
// NVIDIA: padded 'any' from [32][32] to [32][33]
// NVIDIA: Load of 4 bytes, degree 32 -> 1, weight 1
// RUN: %lanewise opt --remarks=all %s --target=amd-gcn -O --verify --interpreter-budget=0.2 --no-timing -o %t.spv 2> %t.remarks
// RUN: FileCheck --check-prefix=WAVE64 %s < %t.remarks
// WAVE64: padded 'wide' from [32][32] to [32][33]
// WAVE64-NEXT: Store of 4 bytes, degree 1 -> 1, weight 1
// WAVE64-NEXT: Load of 4 bytes, degree 32 -> 1, weight 1
// WAVE64-NEXT: Load of 4 bytes, degree 1 -> 1, weight 0
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
layout(push_constant) uniform Push { uint choice; };
shared float wide[32][32];
shared float any[32][32];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  wide[y][x] = src[y * 32 + x];
  any[y][x] = src[y * 32 + x];
  barrier();
  float v = 0;
  if (gl_SubgroupSize >= 64)
    v = wide[x][y];
  else
    v = wide[y][x];
  if (choice >= 64) v += any[x][y];
  dst[y * 32 + x] = v;
}
