#version 450
// Copies vectors of four: the bytes a second that a device's memory gives and takes.

layout(local_size_x = 256) in;

layout(set = 0, binding = 0, std430) readonly restrict buffer Source { vec4 source[]; };
layout(set = 0, binding = 1, std430) writeonly restrict buffer Target { vec4 target[]; };

void main() {
  uint i = gl_GlobalInvocationID.y * (gl_NumWorkGroups.x * 256u) + gl_GlobalInvocationID.x;
  target[i] = source[i];
}
