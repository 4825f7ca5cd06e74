// Which invocations of a fragment shader run together is not known: the remark asks for no workgroup size.
// RUN: %lanewise opt -x frag -O --aos-to-soa --layout-manifest=%t.json %s -o %t.spv --remarks=all 2>&1 | FileCheck %s
// CHECK-NOT: --workgroup-size
// CHECK: missed: 'Cells' keeps its layout: it is not accessed by a compute shader, so which invocations run together is unknown [aos-to-soa:unknown-workgroup-size]
// RUN: %lanewise opt -x frag -O --aos-to-soa --layout-manifest=%t.json --workgroup-size=64,1,1 %s -o %t.spv --remarks=all 2>&1 | FileCheck %s
#version 450
struct Cell { float a, b, c, d, e, f, g, h; };
layout(binding = 0) readonly buffer Cells { Cell cells[]; };
layout(location = 0) out vec4 color;
void main() { color = vec4(cells[uint(gl_FragCoord.x)].a); }
