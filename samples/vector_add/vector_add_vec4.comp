#version 450
// vector_add.comp with four floats an invocation in one access: what is left where the number of accesses, not of
// bytes, is the limit. `count` is a multiple of 4; groups are [count / 1024], rounded up.

layout(local_size_x = 256) in;

layout(set = 0, binding = 0) readonly buffer A {
  vec4 a[];
};
layout(set = 0, binding = 1) readonly buffer B {
  vec4 b[];
};
layout(set = 0, binding = 2) writeonly buffer Sum {
  vec4 sum[];
};
layout(push_constant) uniform Size {
  uint count; // of floats
};

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < count / 4u) sum[i] = a[i] + b[i];
}
