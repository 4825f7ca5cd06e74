// All invocations read the same element, but what they compute with it takes far longer: nothing would be gained.
// RUN: %lanewise opt -O --coarsen-invocations --target=nvidia --remarks=all %s -o %t.spv 2>&1 | FileCheck %s
// CHECK: missed: {{.*}}workgroup kept: invocations share too few of the loads that loops repeat, for what else they do
// CHECK-SAME: [coarsen-invocations:no-gain]
//
// With less to compute, the loads are what takes time.
// RUN: %lanewise opt -O --coarsen-invocations --target=nvidia --remarks=all -DLITTLE %s -o %t.little.spv 2>&1 | FileCheck --check-prefix=LITTLE %s
// LITTLE: workgroup of 256x1x1 now
#version 430
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer A { vec4 a[]; };
layout(binding = 1) writeonly buffer B { float b[]; };
shared vec4 s[256];
void main() {
  uint x = gl_LocalInvocationID.x;
  vec4 own = a[x];
  s[x] = a[x + 256u];
  barrier();
  float sum = 0.0;
  for (uint i = 0u; i < 256u; ++i) {
#ifdef LITTLE
    sum += s[i].x;
#else
    vec3 way = s[i].xyz - own.xyz;
    float inverse = inversesqrt(dot(way, way) + own.w);
    sum += (way.x + way.y * way.z) * s[i].w * inverse * inverse * inverse;
#endif
  }
  b[x] = sum;
}
