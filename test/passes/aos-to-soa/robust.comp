#version 430
// With --robust: a literal range, a guard by the array's own length, masks inside the element.
//
// RUN: %lanewise opt %s -O --robust --aos-to-soa=aosoa --layout-manifest=%t.json -o %t.spv 2>&1 | FileCheck %s
// RUN: FileCheck --check-prefix=JSON %s < %t.json
// RUN: spirv-val --target-env vulkan1.2 %t.spv
// RUN: %lanewise opt %s -O --robust --aos-to-soa=aosoa --verify --interpreter-budget=0.2 --device=cpu --no-timing --remarks=none -o %t.v.spv 2>&1 | FileCheck --check-prefix=EQUAL %s
//
// CHECK: laid out 'Fixed'
// CHECK: laid out 'Guarded'
// JSON: "indices-in-range": false
// EQUAL: outputs equal
struct Cell { float a; uint kind; float b[4]; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Fixed { Cell f[64]; };
layout(binding = 1) buffer Guarded { Cell g[]; };
void main() {
  uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x;
  f[l].a = f[63 - l].b[l & 3];
  if (i < g.length()) g[i].a = g[i].b[i & 3];
}
