// One field of a large struct: the rest of each sector is fetched for nothing.
// RUN: %lanewise lint %s --rule=uncoalesced-access | FileCheck %s
// CHECK: one-field.comp:[[#]]: warning: uncoalesced access to 'Source': the lanes read 4 bytes each at a stride of 48 bytes, so a subgroup touches 32 sectors of 32 bytes instead of 4
// CHECK: 1 warning
#version 430
layout(local_size_x = 64) in;
struct Particle { vec4 position; vec4 velocity; float mass; };
layout(set = 0, binding = 0, std430) readonly restrict buffer Source { Particle source[]; };
layout(set = 0, binding = 1) writeonly restrict buffer Target { float target[]; };

void main() {
  uint id = gl_GlobalInvocationID.x;
  target[id] = source[id].mass;
}
