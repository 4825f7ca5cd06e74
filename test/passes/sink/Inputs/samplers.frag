#version 450
layout(location = 0) in vec4 x;
layout(location = 0) out vec4 y;
layout(set = 0, binding = 0) uniform texture2D image;
layout(set = 0, binding = 1) uniform sampler state;
void main() {
  vec2 level = textureQueryLod(sampler2D(image, state), x.xy);
  ivec2 size = textureSize(sampler2D(image, state), 0);
  vec4 dear = sqrt(x) / x.wzyx + vec4(size, level);
  y = vec4(1.0);
  if (x.x > 0.5) y = dear;
}
