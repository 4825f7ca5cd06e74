// Where vectors of three stand in groups without what filled their gaps, the buffer grows: that is told.
// RUN: %lanewise opt %s -O --aos-to-soa=soa --layout-manifest=%t.json -o %t.spv --remarks=applied 2>&1 | FileCheck %s
// CHECK: laid out 'Bodies' (4 fields in 32 bytes) as one run of all elements per group, 4 groups that take 40 bytes an element
//
// Without any it stays as large as it is.
// RUN: sed 's/vec3 \([a-z]*\);/vec4 \1;/' %s > %t.comp && %lanewise opt %t.comp -O --aos-to-soa=soa --layout-manifest=%t.json -o %t.spv --remarks=applied 2>&1 | FileCheck %s --check-prefix=SAME --implicit-check-not=take
// SAME: laid out 'Bodies' (4 fields in 48 bytes) as one run of all elements per group, 4 groups
#version 430
layout(local_size_x = 64) in;
struct Body { vec3 place; float mass; vec3 speed; float age; };
layout(binding = 0) buffer Bodies { Body bodies[]; };
layout(binding = 1) buffer Sums { float sums[]; };
layout(push_constant) uniform Push { uint phase; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (phase == 0u) sums[i] = bodies[i].mass;
  else if (phase == 1u) sums[i] += bodies[i].age;
  else if (phase == 2u) sums[i] *= bodies[i].place.x;
  else sums[i] += bodies[i].speed.y;
}
