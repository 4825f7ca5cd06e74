// A workgroup of one has nobody to wait for.
// RUN: %lanewise lint %s --rule=barrier-in-divergent-control-flow | count 0
#version 430
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Data { float data[]; };
shared float tile[64];

void main() {
  if (data[gl_GlobalInvocationID.x] > 0 || any(greaterThan(gl_LocalInvocationID, uvec3(data[2])))) {
    tile[0] = data[0];
    barrier();
    data[1] = tile[0];
  }
}
