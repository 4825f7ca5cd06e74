#version 450
// Copies cells word by word: what the answer of the CPU goes through in reference.toml.
layout(local_size_x = 256) in;

layout(set = 0, binding = 0) readonly buffer Source {
  uint source[];
};
layout(set = 0, binding = 1) writeonly buffer Target {
  uint target[];
};

void main() {
  const uint word = gl_GlobalInvocationID.x;
  if (word < source.length()) target[word] = source[word];
}
