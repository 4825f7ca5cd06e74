#version 430
layout(local_size_x = 4) in;
layout(binding = 0) buffer Data { uint data[]; };
void main() { uint i = gl_GlobalInvocationID.x; if (i < data.length()) data[i] += gl_NumWorkGroups.x; }
