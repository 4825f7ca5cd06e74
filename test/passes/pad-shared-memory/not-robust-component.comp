#version 430
// Nobody knows which component is asked for.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O --pad-shared-memory=pad --robust -S -o - 2>&1 | FileCheck %s
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O -S -o - 2>&1 | FileCheck --check-prefix=NOT-ROBUST %s
// CHECK: did not pad 's[256]': --robust: an index is not proved to stay in its row (2 times) [pad-shared-memory:index-not-proved]
// NOT-ROBUST: padded 's'
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer In { vec4 src[]; };
layout(binding = 1) writeonly buffer Out { float dst[]; };
layout(push_constant) uniform P { uint component; };
shared vec4 s[256];
void main() {
  uint t = gl_LocalInvocationIndex;
  s[t] = src[t];
  barrier();
  dst[t] = s[t * 8 & 255][component];
}
