// Members of one element that a lane loads or stores at once are one access for compilers, which has no conflict; a
// word more would take them apart. (A sort of such structs on an H200: 6 % slower with it.)
// RUN: %lanewise opt -O --target=nvidia --remarks=all %s -o %t.spv 2>&1 | FileCheck %s
// So are those in an arm that follows: they are loaded ahead.
// RUN: %lanewise opt -O --target=nvidia --remarks=all -D ARM %s -o %t.spv 2>&1 | FileCheck %s
// CHECK: note: 's[256]' has no known bank conflicts [pad-shared-memory:no-conflict]
// CHECK: Load of 4 bytes, degree 1, weight 256
//
// One member alone has the conflicts, and so has each where a barrier stands between them.
// RUN: %lanewise opt -O --target=nvidia --remarks=all -D ALONE %s -o %t.alone.spv 2>&1 | FileCheck %s --check-prefix=PADDED
// RUN: %lanewise opt -O --target=nvidia --remarks=all -D BARRIER %s -o %t.apart.spv 2>&1 | FileCheck %s --check-prefix=PADDED
// PADDED: padded 's' from [256] to [256]{+1 word}: conflict degree 2 -> 1
#version 430
struct Entry { uint key; float value; };
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) buffer Data { Entry v[]; };
shared Entry s[256];
void main() {
  const uint t = gl_LocalInvocationIndex;
  s[t].key = v[t].key;
  s[t].value = v[t].value;
  barrier();
  float sum = 0;
  for (uint n = 0; n < 256; ++n) {
    const uint at = t ^ n;
#if defined(ALONE)
    sum = sum * 3 + s[at].value;
#elif defined(ARM)
    const uint key = s[at].key;
    if ((key & 3) != 0) sum += float(key) * s[at].value;
#else
    const uint key = s[at].key;
#ifdef BARRIER
    barrier();
#endif
    sum += float(key) * s[at].value;
#endif
  }
  v[t].value = sum;
}
