#version 450
// Multiplies a vector by a dense matrix: an element of the result is the product of the vector and a column. A
// workgroup makes 32 elements. Its eight rows of invocations share the rows of the matrix among them, a tile of the
// vector at a time, which all of them read from shared memory; in the end their eight sums become one.
//
// The sums are kept in shared memory as well, and wherever shared memory is touched there is a barrier behind it.
//
// The number of rows is a multiple of 256, that of columns of 32; groups are [columns / 32].

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
  barrier();
  for (uint first = 0u; first < rows; first += 256u) {
    tile[slice * 32u + lane] = vector[first + slice * 32u + lane];
    barrier(); // the tile is there
    float sum = 0.0;
    for (uint k = slice; k < 256u; k += 8u) sum += tile[k] * matrix[(first + k) * columns + column];
    barrier(); // nobody reads the tile any more
    sums[slice][lane] += sum;
    barrier();
  }
  barrier();

  for (uint below = 4u; below > 0u; below /= 2u) {
    if (slice < below) sums[slice][lane] += sums[slice + below][lane];
    barrier();
  }
  if (slice == 0u) product[column] = sums[0][lane];
  barrier();
}
