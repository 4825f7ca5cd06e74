#version 450
// The rival of matmul.comp: rows of the tile that is walked down are padded by hand.
// Multiplies a matrix by a transposed one, C = A B^T: an element of C is the product of a row of A and a row of B.
// A workgroup makes a tile of C. It brings tiles of A and B into shared memory, row by row as they lie, and then each
// invocation walks along a row of the one and a row of the other: lanes side by side walk along different rows of B,
// in step, and that is down a column of its tile.
//
// All sizes are multiples of TILE; groups are [n / TILE, m / TILE].

#ifndef TILE
#define TILE 32
#endif

layout(local_size_x = TILE, local_size_y = TILE) in;

layout(set = 0, binding = 0) readonly buffer A {
  float a[]; // m rows of k
};
layout(set = 0, binding = 1) readonly buffer B {
  float b[]; // n rows of k
};
layout(set = 0, binding = 2) writeonly buffer C {
  float c[]; // m rows of n
};
layout(push_constant) uniform Sizes {
  uint n;
  uint k;
};

shared float tileA[TILE][TILE];
shared float tileB[TILE][TILE + 1];

void main() {
  const uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  const uint row = gl_WorkGroupID.y * TILE + y;
  const uint column = gl_WorkGroupID.x * TILE + x;
  const uint rowOfB = gl_WorkGroupID.x * TILE + y;

  float sum = 0.0;
  for (uint first = 0u; first < k; first += TILE) {
    tileA[y][x] = a[row * k + first + x];
    tileB[y][x] = b[rowOfB * k + first + x];
    barrier(); // both tiles are there
    for (uint i = 0u; i < TILE; ++i) sum += tileA[y][i] * tileB[x][i];
    barrier(); // nobody reads them any more
  }
  c[row * n + column] = sum;
}
