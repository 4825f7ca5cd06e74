#version 450
// Adds two vectors of floats. Nothing is shared, no branch is long, every access is whole: there is nothing to mend.

layout(local_size_x = 256) in;

layout(set = 0, binding = 0) readonly buffer A {
  float a[];
};
layout(set = 0, binding = 1) readonly buffer B {
  float b[];
};
layout(set = 0, binding = 2) writeonly buffer Sum {
  float sum[];
};
layout(push_constant) uniform Size {
  uint count;
};

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < count) sum[i] = a[i] + b[i];
}
