#version 450
// Third of three: each pixel of the result is read from the blurred grid at its place and its brightness, between the
// eight cells around it, and is their sum of values by their sum of weights. Its own pixel is in one of them, so there
// is a weight.
//
// The width is a multiple of 32, the height of 8; groups are [width / 32, height / 8].

layout(local_size_x = 32, local_size_y = 8) in;

struct Cell {
  uint value;
  uint weight;
};

layout(set = 0, binding = 0) readonly buffer Picture {
  uint picture[]; // 0 to 255
};
layout(set = 0, binding = 1) readonly buffer Grid {
  Cell grid[]; // columns first, then rows, then levels
};
layout(set = 0, binding = 2) writeonly buffer Target {
  uint target[];
};
layout(push_constant) uniform Sizes {
  uint width;
  uint height;
};

void main() {
  const uvec2 place = gl_GlobalInvocationID.xy;
  const uint pixel = picture[place.y * width + place.x];
  const uvec3 sizes = uvec3(width / 8u, height / 8u, 16u);
  const uvec3 low = uvec3(place / 8u, pixel / 16u);
  const uvec3 high = min(low + 1u, sizes - 1u);
  const uvec3 part = uvec3(place % 8u, pixel % 16u);
  const uvec3 rest = uvec3(8u, 8u, 16u) - part;

  uint value = 0u, weight = 0u;
  for (uint corner = 0u; corner < 8u; ++corner) {
    const bvec3 isHigh = bvec3((corner & 1u) != 0u, (corner & 2u) != 0u, (corner & 4u) != 0u);
    const uvec3 at = mix(low, high, isHigh);
    const uvec3 shares = mix(rest, part, isHigh);
    const uint share = shares.x * shares.y * shares.z; // of 1024
    const Cell cell = grid[(at.z * sizes.y + at.y) * sizes.x + at.x];
    value += cell.value * share;
    weight += cell.weight * share;
  }
  target[place.y * width + place.x] = value / weight;
}
