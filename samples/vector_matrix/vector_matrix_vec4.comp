#version 450
#extension GL_EXT_control_flow_attributes : require
// What an expert writes instead of vector_matrix.comp: four columns an invocation in one access, eight such accesses
// on their way at once, and no barrier until the end. The vector is small enough to stay in the caches; all lanes of
// a row of invocations read one element of it.
//
// The number of rows is a multiple of 64, that of columns of 128; groups are [columns / 128].

layout(local_size_x = 32, local_size_y = 8) in;

layout(set = 0, binding = 0) readonly restrict buffer Vector {
  float vector[];
};
layout(set = 0, binding = 1) readonly restrict buffer Matrix {
  vec4 matrix[]; // row by row
};
layout(set = 0, binding = 2) writeonly restrict buffer Product {
  vec4 product[];
};
layout(push_constant) uniform Sizes {
  uint rows;
  uint columns;
};

shared vec4 sums[8][32];

void main() {
  const uint lane = gl_LocalInvocationID.x, slice = gl_LocalInvocationID.y;
  const uint column = gl_WorkGroupID.x * 32u + lane; // of vectors

  vec4 sum = vec4(0.0);
  for (uint first = slice; first < rows; first += 64u) {
    vec4 part[8];
    [[unroll]] for (uint i = 0u; i < 8u; ++i) part[i] = matrix[(first + i * 8u) * (columns / 4u) + column];
    [[unroll]] for (uint i = 0u; i < 8u; ++i) sum += part[i] * vector[first + i * 8u];
  }

  sums[slice][lane] = sum;
  for (uint below = 4u; below > 0u; below /= 2u) {
    barrier();
    if (slice < below) sums[slice][lane] += sums[slice + below][lane];
  }
  if (slice == 0u) product[column] = sums[0][lane];
}
