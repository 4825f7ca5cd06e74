// Three of four words of each sector: a third more than needed is no finding.
// RUN: %lanewise lint %s --rule=uncoalesced-access | count 0
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly restrict buffer Source { vec3 source[]; };
layout(set = 0, binding = 1) writeonly restrict buffer Target { float target[]; };

void main() {
  uint id = gl_GlobalInvocationID.x;
  vec3 v = source[id];
  target[id] = v.x + v.y + v.z;
}
