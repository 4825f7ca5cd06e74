// What all kernels have in common: 2^24 cells of 44 bytes, eleven fields of one word, and an invocation for each.
// The cells are far more than any cache holds, so that what is fetched takes all the time. Arithmetic is on
// integers: outputs are the same bit for bit wherever the fields lie.

layout(local_size_x = 256) in;

struct Cell {
  uint kind;
  uint gender;
  int age;
  int energy;
  uint moved;
  int hunger;
  int fear;
  uint traits;
  uint genome;
  int wish;
  uint seed;
};

layout(set = 0, binding = 1, std430) writeonly restrict buffer Target { uint target[]; };
layout(set = 0, binding = 2, std430) readonly restrict buffer Order { uint order[]; };
layout(push_constant) uniform Constants { uint count; };  // of cells, a power of two

/// The cell of this invocation: the lanes of a subgroup have neighbours.
uint ownCell() { return gl_GlobalInvocationID.x; }

/// Any cell, which only the data tells.
uint anyCell() { return order[gl_GlobalInvocationID.x] & (count - 1u); }
