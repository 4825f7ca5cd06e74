#version 430
layout(local_size_x_id = 3) in;
layout(constant_id = 0) const uint kFactor = 3;
layout(constant_id = 1) const float kBias = 0.5;
layout(constant_id = 2) const bool isDoubled = false;
layout(set = 0, binding = 0) readonly buffer Source { float values[]; } source;
layout(set = 1, binding = 0) buffer Target { float values[]; } target;
layout(push_constant) uniform Limits { uint count; } limits;
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= limits.count) return;
  float value = source.values[i] * float(kFactor) + kBias;
  target.values[i] = isDoubled ? 2.0 * value : value;
}
