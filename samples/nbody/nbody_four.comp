#version 450
#extension GL_EXT_control_flow_attributes : require
// What an expert writes instead of nbody.comp: each invocation keeps four bodies in registers, so that a body read
// from shared memory serves four times, and four chains of arithmetic hide one another's latency.
//
// Groups are [count / 512]: 128 invocations with four bodies each.

layout(local_size_x = 128) in;

layout(set = 0, binding = 0) readonly restrict buffer Bodies {
  vec4 bodies[]; // x, y, z, mass
};
layout(set = 0, binding = 1) writeonly restrict buffer Accelerations {
  vec4 accelerations[];
};
layout(push_constant) uniform Sizes {
  uint count;     // a multiple of 512
  float softness; // squared; not 0, since a body also meets itself
};

shared vec4 tile[512];

void main() {
  const uint t = gl_LocalInvocationID.x;
  const uint firstOwn = gl_WorkGroupID.x * 512u + t;
  vec3 own[4], sum[4];
  [[unroll]] for (uint n = 0u; n < 4u; ++n) {
    own[n] = bodies[firstOwn + n * 128u].xyz;
    sum[n] = vec3(0.0);
  }

  for (uint first = 0u; first < count; first += 512u) {
    [[unroll]] for (uint n = 0u; n < 4u; ++n) tile[n * 128u + t] = bodies[first + n * 128u + t];
    barrier(); // the tile is there
    for (uint i = 0u; i < 512u; ++i) {
      const vec4 body = tile[i];
      [[unroll]] for (uint n = 0u; n < 4u; ++n) {
        const vec3 way = body.xyz - own[n];
        const float inverse = inversesqrt(dot(way, way) + softness);
        sum[n] += way * (body.w * inverse * inverse * inverse);
      }
    }
    barrier(); // nobody reads the tile any more
  }
  [[unroll]] for (uint n = 0u; n < 4u; ++n) accelerations[firstOwn + n * 128u] = vec4(sum[n], 0.0);
}
