#version 450

// Copies a matrix of floats, one 16-byte vector an invocation; see copy_scalar.comp.
//
// The width is a multiple of 128, the height of 8; groups are [width / 128, height / 8].

layout(local_size_x = 32, local_size_y = 8) in;

layout(set = 0, binding = 0, std430) readonly restrict buffer Source { vec4 source[]; };
layout(set = 0, binding = 1, std430) writeonly restrict buffer Target { vec4 target[]; };
layout(push_constant) uniform Sizes {
  uint width;   // in floats
  uint height;
};

void main() {
  uint index = gl_GlobalInvocationID.y * (width / 4) + gl_GlobalInvocationID.x;
  target[index] = source[index];
}
