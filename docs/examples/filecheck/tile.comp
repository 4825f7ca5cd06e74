// The columns of the tile hit one bank each, so its rows become longer by one element.
// RUN: %lanewise opt --ssa-rewrite --pad-shared-memory --target=nvidia --remarks=none -S %s | FileCheck %s
// NOTE: check lines written by utils/update_checks --only=OpVariable.*Workgroup|OpAccessChain.*tile
//
// CHECK:             %tile = OpVariable %_ptr_Workgroup__arr__arr_float_uint_33_uint_32 Workgroup
// CHECK:               [[ID43:%[0-9]+]] = OpAccessChain %_ptr_Workgroup_float %tile [[ID20:%[0-9]+]] [[ID16:%[0-9]+]]
// CHECK:               [[ID56:%[0-9]+]] = OpAccessChain %_ptr_Workgroup_float %tile [[ID16]] [[ID20]]
#version 450
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) readonly buffer Input { float a[]; };
layout(binding = 1) writeonly buffer Output { float b[]; };
shared float tile[32][32];

void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  tile[y][x] = a[y * 32 + x];
  barrier();
  b[y * 32 + x] = tile[x][y];
}
