#version 430
// The work of the client's pipelines: the size of a workgroup and the factor are specialization constants.
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint factor = 3;
layout(set = 0, binding = 0) buffer Values { uint values[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < values.length()) values[i] = values[i] * factor + gl_NumWorkGroups.x + gl_WorkGroupID.y;
}
