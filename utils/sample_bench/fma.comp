#version 450
// Sixteen chains of multiply-adds an invocation, in registers: the operations a second that a device does at best.

layout(local_size_x = 256) in;

layout(set = 0, binding = 0, std430) writeonly restrict buffer Target { vec4 target[]; };
layout(push_constant) uniform Sizes {
  uint rounds;
  float factor;
};

void main() {
  vec4 a = vec4(gl_GlobalInvocationID.x), b = a + 1.0, c = a + 2.0, d = a + 3.0;
  for (uint round = 0u; round < rounds; ++round) {
    a = fma(a, vec4(factor), b);
    b = fma(b, vec4(factor), c);
    c = fma(c, vec4(factor), d);
    d = fma(d, vec4(factor), a);
  }
  target[gl_GlobalInvocationID.x] = a + b + c + d;
}
