#version 450

// Copies a matrix of floats, four floats an invocation, in the shape in which transpose.comp reads it: what
// the memory of a device can do at best, to measure the transpose against.
//
// The sizes are multiples of 32; groups are [width / 32, height / 32].

layout(local_size_x = 32, local_size_y = 8) in;

layout(set = 0, binding = 0, std430) readonly restrict buffer Source { float source[]; };
layout(set = 0, binding = 1, std430) writeonly restrict buffer Target { float target[]; };
layout(push_constant) uniform Sizes {
  uint width;
  uint height;
};

void main() {
  uvec2 first = gl_WorkGroupID.xy * 32 + gl_LocalInvocationID.xy;
  for (uint step = 0; step < 4; ++step) {
    uint index = (first.y + step * 8) * width + first.x;
    target[index] = source[index];
  }
}
