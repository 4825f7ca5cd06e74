// What steps the loop never reaches its end, which --inline does not copy into a continue construct.
// RUN: not %lanewise lint %s --rule=shared-memory-race 2>&1 | FileCheck %s --implicit-check-not=inlined
// CHECK: error: data race on 'tile'
#version 430
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) restrict readonly buffer In { float in_[]; };
layout(set = 0, binding = 1) restrict writeonly buffer Out { float out_[]; };
layout(push_constant) uniform Steps { uint kind; };
shared float tile[32];

uint next(uint i) {
  switch (kind) {
  case 1: return i + 1;
  case 2: return i + 2;
  default: return i + 3;
  }
}

void main() {
  uint t = gl_LocalInvocationID.x;
  for (uint i = 0; i < 16; i = next(i)) {
    tile[t] = in_[i * 32 + t];
    barrier();
    out_[i * 32 + t] = tile[t ^ 1]; // and another barrier is missing behind this
  }
}
