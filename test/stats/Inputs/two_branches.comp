#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float v[]; };
layout(push_constant) uniform Push { uint many; } push;
void main() {
  uint i = gl_GlobalInvocationID.x;
  float x = v[i];
  if ((i & 1u) == 0u) x = x + 1.0;
  // Uniform over the dispatch: where nobody takes it, a branch skips all of it.
  if (push.many != 0u) {
    x = sin(x) * cos(x) + exp(x) * log(x) + sqrt(x) * inversesqrt(x) + tan(x) * atan(x) + pow(x, 1.7) + sinh(x) * acos(x);
    x = sin(x) * cos(x) + exp(x) * log(x) + sqrt(x) * inversesqrt(x) + tan(x) * atan(x) + pow(x, 1.7) + sinh(x) * acos(x);
  }
  v[i] = x;
}
