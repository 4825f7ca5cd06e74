#version 450
// The rival of vector_matrix.comp: the same with the barriers that are needed and no others. What each invocation keeps
// in shared memory for itself needs none.

layout(local_size_x = 32, local_size_y = 8) in;

layout(set = 0, binding = 0) readonly buffer Vector {
  float vector[];
};
layout(set = 0, binding = 1) readonly buffer Matrix {
  float matrix[]; // row by row
};
layout(set = 0, binding = 2) writeonly buffer Product {
  float product[];
};
layout(push_constant) uniform Sizes {
  uint rows;
  uint columns;
};

shared float tile[256];
shared float sums[8][32];

void main() {
  const uint lane = gl_LocalInvocationID.x, slice = gl_LocalInvocationID.y;
  const uint column = gl_WorkGroupID.x * 32u + lane;

  sums[slice][lane] = 0.0;
  for (uint first = 0u; first < rows; first += 256u) {
    tile[slice * 32u + lane] = vector[first + slice * 32u + lane];
    barrier(); // the tile is there
    float sum = 0.0;
    for (uint k = slice; k < 256u; k += 8u) sum += tile[k] * matrix[(first + k) * columns + column];
    barrier(); // nobody reads the tile any more
    sums[slice][lane] += sum;
  }

  for (uint below = 4u; below > 0u; below /= 2u) {
    barrier();
    if (slice < below) sums[slice][lane] += sums[slice + below][lane];
  }
  if (slice == 0u) product[column] = sums[0][lane];
}
