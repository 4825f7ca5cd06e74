#version 450
// The rival of smoothing.comp: the same with the one barrier that is needed, written by hand.
// Smooths each row of 256 cells 64 times over: a cell becomes a quarter of its neighbours and half of itself, in
// integers, with the ends of a row joined. A row is kept in shared memory, in two halves that change roles.

layout(local_size_x = 256) in;

layout(set = 0, binding = 0) readonly buffer Source {
  uint source[];
};
layout(set = 0, binding = 1) writeonly buffer Target {
  uint target[];
};

shared uint row[2][256];

void main() {
  const uint x = gl_LocalInvocationID.x;
  const uint cell = gl_WorkGroupID.x * 256u + x;
  uint from = 0u;
  row[0][x] = source[cell];
  for (uint turn = 0u; turn < 64u; ++turn) {
    barrier(); // all have written the half that is read below
    const uint left = row[from][(x + 255u) % 256u];
    const uint right = row[from][(x + 1u) % 256u];
    const uint own = row[from][x];
    row[1u - from][x] = (left + 2u * own + right) / 4u;
    from = 1u - from;
  }
  target[cell] = row[from][x];
}
