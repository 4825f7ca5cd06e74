// What calls twice what calls twice, and so on, would be a million times as large with all of it inlined.
// RUN: not %lanewise lint %s 2>&1 | FileCheck %s
// CHECK: calls.comp: warning: some calls were not inlined, and problems may be missed in the functions that they call
// RUN: not %lanewise lint -DFEW %s 2>&1 | FileCheck %s --check-prefix=FEW --implicit-check-not=inlined
// FEW: data race
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { float data[]; };
shared float s[64];
float a(float x) {
  s[gl_LocalInvocationIndex] = x;
  return s[gl_LocalInvocationIndex ^ 1];
}
#define TWICE(n, m) float n(float x) { return m(x) + m(x + 1.0); }
TWICE(b, a) TWICE(c, b)
#ifdef FEW
void main() { data[gl_GlobalInvocationID.x] = c(data[0]); }
#else
TWICE(d, c) TWICE(e, d) TWICE(f, e) TWICE(g, f) TWICE(h, g) TWICE(i, h) TWICE(j, i) TWICE(k, j) TWICE(l, k)
TWICE(m, l) TWICE(n, m) TWICE(o, n) TWICE(p, o) TWICE(q, p) TWICE(r, q) TWICE(t, r) TWICE(u, t)
void main() { data[gl_GlobalInvocationID.x] = u(data[0]); }
#endif
