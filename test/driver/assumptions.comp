// What the module does not say comes from the command line: a workgroup size by specialization constants.
// RUN: %lanewise opt -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all %t.in.spv -O -o %t.spv 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: %lanewise opt --remarks=all %t.in.spv -O -o %t.spv --workgroup-size=32,32,1 2>&1 | FileCheck %s --check-prefix=KNOWN
// RUN: %lanewise opt --remarks=all %t.in.spv -O -o %t.spv --spec-const=0:32 --spec-const=1:0x20 2>&1 | FileCheck %s --check-prefix=KNOWN
// UNKNOWN-NOT: remark: padded
// UNKNOWN: missed:
// KNOWN: remark: padded 'tile'
#version 430
layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(binding = 0) readonly buffer Source { float source[]; };
layout(binding = 1) writeonly buffer Target { float target[]; };
shared float tile[32][32];
void main() {
  uvec2 at = gl_LocalInvocationID.xy;
  tile[at.y][at.x] = source[at.y * 32 + at.x];
  barrier();
  target[at.y * 32 + at.x] = tile[at.x][at.y];
}
