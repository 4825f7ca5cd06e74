// All fields of the struct: what one access leaves of a sector, the next one uses.
// RUN: %lanewise lint %s --rule=uncoalesced-access | count 0
#version 430
layout(local_size_x = 64) in;
struct Particle { vec4 position; vec4 velocity; };
layout(set = 0, binding = 0, std430) readonly restrict buffer Source { Particle source[]; };
layout(set = 0, binding = 1) writeonly restrict buffer Target { float target[]; };

void main() {
  uint id = gl_GlobalInvocationID.x;
  vec4 a = source[id].position, b = source[id].velocity;
  target[id] = dot(a, b);
}
