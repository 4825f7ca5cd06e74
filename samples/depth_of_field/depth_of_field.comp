#version 450
// Blurs what is out of focus. Each pixel has a circle of confusion, over which its light spreads; each pixel of the
// result gathers the light of all pixels within reach whose circle covers it. A workgroup makes 16x16 pixels from a
// tile of 32x32 in shared memory. All lanes look at the same pixel of the tile at the same time, in the same order.
//
// Light from nearby weighs more. The nearer a pixel is to the eye, the smaller its circle, which is negative in front
// of focus: a pixel spreads over what lies behind it, and over what lies in front only where that is itself blurred as
// far.
//
// The sources have a border of 8 pixels round the target; the target's sizes are multiples of 16, and groups are
// [width / 16, height / 16]. The result is red, green, blue and weight, for somebody else to divide.

layout(local_size_x = 16, local_size_y = 16) in;

layout(set = 0, binding = 0) readonly buffer Colours {
  vec4 colours[]; // rows of width + 16
};
layout(set = 0, binding = 1) readonly buffer Circles {
  float circles[]; // of confusion, radius in pixels; rows of width + 16
};
layout(set = 0, binding = 2) writeonly buffer Target {
  vec4 target[];
};
layout(push_constant) uniform Sizes {
  uint width; // of the target
};

shared vec4 tile[32][32]; // red, green, blue, circle

void main() {
  const uvec2 local = gl_LocalInvocationID.xy;
  const uvec2 corner = gl_WorkGroupID.xy * 16u;
  for (uint y = local.y; y < 32u; y += 16u)
    for (uint x = local.x; x < 32u; x += 16u) {
      const uint pixel = (corner.y + y) * (width + 16u) + corner.x + x;
      tile[y][x] = vec4(colours[pixel].rgb, circles[pixel]);
    }
  barrier();

  const vec2 own = vec2(local + 8u);
  const float ownCircle = tile[local.y + 8u][local.x + 8u].w;
  vec3 light = vec3(0.0);
  float weights = 0.0;
  for (uint y = 0u; y < 32u; ++y) {
    for (uint x = 0u; x < 32u; ++x) {
      const vec4 other = tile[y][x];
      const vec2 way = vec2(x, y) - own;
      const float distance2 = dot(way, way);
      float weight = 0.0;
      if (distance2 <= other.w * other.w) { // its circle reaches here
        if (distance2 <= 4.0) {
          weight = 4.0;
        } else {
          weight = 1.0;
        }
        if (other.w < ownCircle) { // it is in front of this pixel
          weight = weight * 2.0;
        } else if (distance2 > ownCircle * ownCircle) { // behind it, and this pixel is sharper
          weight = 0.0;
        }
      }
      light += other.rgb * weight;
      weights += weight;
    }
  }
  target[(corner.y + local.y) * width + corner.x + local.x] = vec4(light, weights);
}
