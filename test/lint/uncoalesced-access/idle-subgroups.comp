// What a subgroup touches is told of those that touch something, not of all of the workgroup.
// RUN: %lanewise lint %s --rule=uncoalesced-access --target=nvidia | FileCheck %s
// CHECK: idle-subgroups.comp:[[#]]: warning: uncoalesced access to 'B': the lanes read 4 bytes each at a stride of 128 bytes, so a subgroup touches 32 sectors of 32 bytes instead of 4
#version 430
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer B { float b[]; };
layout(binding = 1) writeonly buffer O { float o[]; };
void main() {
  uint l = gl_LocalInvocationIndex;
  float sum = 0;
  if (l < 32) sum = b[l * 32];
  o[l] = sum;
}
