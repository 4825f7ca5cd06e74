#version 430
// Filling up the last tile makes the buffer larger than the target binds.
//
// RUN: echo '[global-memory]' > %t.toml && echo 'max-buffer-bytes = 1200' >> %t.toml
// RUN: %lanewise opt --remarks=all %s --target=%t.toml -O --aos-to-soa=aosoa -S -o - 2>&1 | FileCheck %s
// RUN: %lanewise opt --remarks=all %s --target=%t.toml -O --aos-to-soa=aosoa:10 -S -o - 2>&1 | FileCheck --check-prefix=FITS %s
//
// CHECK: missed: 'Cells' keeps its layout: its 100 elements would take more than 1200 bytes [aos-to-soa:buffer-too-large]
// FITS: laid out 'Cells'
struct Cell { float a; uint kind; float b; };
layout(local_size_x = 64) in;
layout(binding = 0) buffer Cells { Cell c[100]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < 100) c[i].a = 1;
}
