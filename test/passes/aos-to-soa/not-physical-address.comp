#version 430
// An address that comes from elsewhere may lead into any buffer.
//
// RUN: %lanewise opt --remarks=all %s -O --aos-to-soa=aosoa -S -o %t.spvasm 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: FileCheck --check-prefix=KEPT %s < %t.spvasm
//
// CHECK: missed: 'Cells' keeps its layout: {{.*}}[aos-to-soa:physical-address]
// KEPT-NOT: %Cell_tile
#extension GL_EXT_buffer_reference : require
struct Cell { float a; uint kind; float b; };
layout(buffer_reference, std430) buffer Other { float x; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { Cell c[]; };
layout(push_constant) uniform Push { Other other; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  c[i].a = other.x;
}
