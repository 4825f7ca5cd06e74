#version 450
#extension GL_EXT_control_flow_attributes : require
// What an expert writes instead of matmul.comp: each invocation makes 8x8 elements of C in registers, so that a value
// brought in from shared memory serves eight times; a workgroup makes 128x128. The tiles are turned on their way into
// shared memory, so that 8 rows are two accesses of 16 bytes, and there are two of each: while one is multiplied, the
// next is on its way, and one barrier a round is enough.
//
// m and n are multiples of 128, k of 8; groups are [n / 128, m / 128].

layout(local_size_x = 256) in;

layout(set = 0, binding = 0) readonly restrict buffer A {
  vec4 a[]; // m rows of k / 4
};
layout(set = 0, binding = 1) readonly restrict buffer B {
  vec4 b[]; // n rows of k / 4
};
layout(set = 0, binding = 2) writeonly restrict buffer C {
  vec4 c[]; // m rows of n / 4
};
layout(push_constant) uniform Sizes {
  uint n;
  uint k;
};

const uint kDepth = 8u;   // of a tile
const uint kPadded = 33u; // 128 rows are 32 vectors; the unused one keeps the turning free of conflicts

shared vec4 tileA[2][kDepth][kPadded]; // [which][depth][row / 4]
shared vec4 tileB[2][kDepth][kPadded];

// Four values of one row, to four depths.
void put(uint which, uint row, uint depth, vec4 ofA, vec4 ofB) {
  [[unroll]] for (uint i = 0u; i < 4u; ++i) {
    tileA[which][depth + i][row / 4u][row % 4u] = ofA[i];
    tileB[which][depth + i][row / 4u][row % 4u] = ofB[i];
  }
}

void main() {
  const uint t = gl_LocalInvocationID.x;
  const uint firstRow = gl_WorkGroupID.y * 128u, firstColumn = gl_WorkGroupID.x * 128u;
  const uint x = t % 16u, y = t / 16u; // rows 4y to 4y+3 and 64 on; columns likewise

  // What this invocation brings in: of each tile, four values of a row.
  const uint row = t / 2u, depth = (t % 2u) * 4u;
  const uint fromA = ((firstRow + row) * k + depth) / 4u;
  const uint fromB = ((firstColumn + row) * k + depth) / 4u;

  vec4 sums[8][2];
  [[unroll]] for (uint r = 0u; r < 8u; ++r) sums[r][0] = sums[r][1] = vec4(0.0);

  put(0u, row, depth, a[fromA], b[fromB]);
  barrier();

  uint which = 0u;
  for (uint first = 0u; first < k; first += kDepth) {
    const bool isLast = first + kDepth >= k;
    vec4 nextA = vec4(0.0), nextB = vec4(0.0);
    if (!isLast) {
      nextA = a[fromA + (first + kDepth) / 4u];
      nextB = b[fromB + (first + kDepth) / 4u];
    }
    [[unroll]] for (uint d = 0u; d < kDepth; ++d) {
      const vec4 rows[2] = vec4[2](tileA[which][d][y], tileA[which][d][16u + y]);
      const vec4 columns[2] = vec4[2](tileB[which][d][x], tileB[which][d][16u + x]);
      [[unroll]] for (uint r = 0u; r < 8u; ++r) {
        sums[r][0] += rows[r / 4u][r % 4u] * columns[0];
        sums[r][1] += rows[r / 4u][r % 4u] * columns[1];
      }
    }
    if (!isLast) put(1u - which, row, depth, nextA, nextB);
    barrier();
    which = 1u - which;
  }

  [[unroll]] for (uint r = 0u; r < 8u; ++r) {
    const uint target = (firstRow + (r / 4u) * 64u + y * 4u + r % 4u) * n + firstColumn;
    c[target / 4u + x] = sums[r][0];
    c[target / 4u + 16u + x] = sums[r][1];
  }
}
