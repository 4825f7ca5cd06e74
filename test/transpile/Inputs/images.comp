#version 430
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) uniform texture2D photo;
layout(set = 0, binding = 1) uniform sampler nearest;
layout(set = 1, binding = 0) uniform sampler2D other;
layout(set = 1, binding = 1, rgba8) writeonly uniform image2D target;
void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  vec4 a = textureLod(sampler2D(photo, nearest), vec2(at) / 16.0, 0.0);
  vec4 b = texelFetch(other, at, 0) + texelFetch(photo, at, 0);
  imageStore(target, at, a + b);
}
