#version 430
// Mesa's driver for AMD packs a vec3 and a float into 16 bytes, other drivers may take 32: a word more in each struct, which helps the latter,
// would put 32-byte strides where there were 16. Layouts that are chosen for a driver that nobody knows must hold for all.
//
// RUN: %lanewise opt --remarks=all %s --target=amd-rdna -O -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck --check-prefix=RADV %s < %t.remarks
// RADV: padded 's' from [128] to [128]{+1 word}: conflict degree 4 -> 1 (2 elsewhere), 512 more bytes
// RUN: %lanewise opt --remarks=all %s --target=generic -O -S -o %t.spvasm 2>&1 | FileCheck --check-prefix=GENERIC %s
// GENERIC: did not pad
layout(local_size_x = 128) in;
layout(binding = 0) buffer B { float data[]; };
struct Item { vec3 at; float mass; };
shared Item s[128];
void main() {
  const uint t = gl_LocalInvocationID.x;
  s[t].at = vec3(data[t], data[t + 128u], data[t + 256u]);
  s[t].mass = data[t + 384u];
  barrier();
  float sum = 0.0;
  for (uint k = 0u; k < 64u; ++k) sum += s[(t + k) & 127u].mass;
  data[t] = sum + s[127u - t].at.x;
}
