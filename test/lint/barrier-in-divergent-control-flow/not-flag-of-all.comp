// All read one flag of a buffer. That nobody changes it meanwhile is not proved, but there is no reason to
// think that it differs.
// RUN: %lanewise lint %s --rule=barrier-in-divergent-control-flow | count 0
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Flags { uint flag; };
layout(set = 0, binding = 1) buffer Data { float data[]; };
shared float tile[64];

void main() {
  uint lid = gl_LocalInvocationIndex;
  if (flag == 0) {
    tile[lid] = data[lid];
    barrier();
    data[lid] = tile[63 - lid];
  }
}
