// Each lane reads a row of its own: of every sector, one word is of use.
// RUN: %lanewise lint %s --rule=uncoalesced-access | FileCheck %s
// CHECK: stride.comp:[[#]]: warning: uncoalesced access to 'Source': the lanes read 4 bytes each at a stride of 128 bytes, so a subgroup touches 32 sectors of 32 bytes instead of 4 [uncoalesced-access]
// CHECK-NEXT: target[id] = source[id * 32];
// CHECK-NEXT: {{^ +\^~~~~~$}}
// CHECK-NEXT: {{.*}}stride.comp:[[#]]: help: let consecutive invocations
// CHECK-NEXT: 1 warning
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly restrict buffer Source { float source[]; };
layout(set = 0, binding = 1) writeonly restrict buffer Target { float target[]; };

void main() {
  uint id = gl_GlobalInvocationID.x;
  target[id] = source[id * 32];
}
