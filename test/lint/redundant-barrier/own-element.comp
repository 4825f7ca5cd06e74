// Each invocation reads only what it wrote itself.
// RUN: %lanewise lint %s --rule=redundant-barrier | FileCheck %s
// CHECK: own-element.comp:[[#]]: warning: redundant barrier: no two invocations access the same element
// CHECK-NEXT: barrier();
// CHECK-NEXT: {{.*}}own-element.comp:[[#]]: help: remove it
// CHECK-NEXT: 1 warning
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) restrict buffer Data { float data[64]; };
shared float tile[64];

void main() {
  uint lid = gl_LocalInvocationID.x;
  tile[lid] = data[lid];
  barrier();
  data[lid] = tile[lid] * 2;
}
