#version 430
// Interleaved addresses: a reduction whose lanes step by 2, 4, 8 and more.
//
// RUN: %lanewise opt %s --target=nvidia -O --verify --interpreter-budget=0.2 --validation-layer --no-timing -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// REMARK: padded 's' from [256] to [256] with a gap of 1 after every 32: conflict degree {{[0-9]+}} -> {{[1-4]}}
// REMARK: outputs equal
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer In { uint src[]; };
layout(binding = 1) writeonly buffer Out { uint dst[]; };
shared uint s[256];
void main() {
  uint t = gl_LocalInvocationID.x;
  s[2 * t] = src[2 * t];
  s[2 * t + 1] = src[2 * t + 1];
  for (uint step = 1; step < 256; step *= 2) {
    barrier();
    uint i = 2 * step * t;
    if (i < 256) s[i] += s[i + step];
  }
  barrier();
  dst[gl_GlobalInvocationID.x] = s[0] + t;
}
