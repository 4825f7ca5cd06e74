#version 450
// Copies 32-bit words: how a right answer from the CPU gets where the shaders of a sample write theirs, in the
// reference.toml of the samples beside this folder. Groups are [words / 64].

layout(local_size_x = 64) in;

layout(set = 0, binding = 0) readonly buffer Source {
  uint source[];
};
layout(set = 0, binding = 1) writeonly buffer Target {
  uint target[];
};

void main() {
  const uint word = gl_GlobalInvocationID.x;
  target[word] = source[word];
}
