#version 450
// What gravity does to bodies: for each, the sum over all others. A workgroup brings 256 bodies at a time into shared
// memory, where all lanes read the same one at the same time.

layout(local_size_x = 256) in;

layout(set = 0, binding = 0) readonly buffer Bodies {
  vec4 bodies[]; // x, y, z, mass
};
layout(set = 0, binding = 1) writeonly buffer Accelerations {
  vec4 accelerations[];
};
layout(push_constant) uniform Sizes {
  uint count;     // a multiple of 256
  float softness; // squared; not 0, since a body also meets itself
};

shared vec4 tile[256];

void main() {
  const uint t = gl_LocalInvocationID.x;
  const vec3 own = bodies[gl_GlobalInvocationID.x].xyz;

  vec3 sum = vec3(0.0);
  for (uint first = 0u; first < count; first += 256u) {
    tile[t] = bodies[first + t];
    barrier(); // the tile is there
    for (uint i = 0u; i < 256u; ++i) {
      const vec3 way = tile[i].xyz - own;
      const float inverse = inversesqrt(dot(way, way) + softness);
      sum += way * (tile[i].w * inverse * inverse * inverse);
    }
    barrier(); // nobody reads the tile any more
  }
  accelerations[gl_GlobalInvocationID.x] = vec4(sum, 0.0);
}
