#version 450
// The rival of blur.comp: its tile is padded by hand.
// Second of three, run three times: blurs a grid along the axis that lies contiguous in memory, with weights 1, 2, 1,
// and turns the axes round on the way (a, b, c become b, c, a). So the next run finds the next axis contiguous, and
// after three the grid lies as it did. A workgroup blurs 32 lines, 30 cells of each, with a neighbour at either end:
// it reads along the lines and writes across them, and in between they stand in shared memory.
//
// Groups are [a / 30, b / 32, c], rounded up.

layout(local_size_x = 32, local_size_y = 8) in;

struct Cell {
  uint value;
  uint weight;
};

layout(set = 0, binding = 0) readonly buffer Source {
  Cell source[];
};
layout(set = 0, binding = 1) writeonly buffer Target {
  Cell target[];
};
layout(push_constant) uniform Sizes {
  uint a; // contiguous in the source
  uint b;
  uint c;
};

shared uvec2 tile[32][33]; // [line][place along it]

void main() {
  const uint lane = gl_LocalInvocationID.x;
  const uint firstPlace = gl_WorkGroupID.x * 30u, firstLine = gl_WorkGroupID.y * 32u, layer = gl_WorkGroupID.z;

  for (uint line = gl_LocalInvocationID.y; line < 32u; line += 8u) {
    const uint place = clamp(firstPlace + lane, 1u, a) - 1u; // the ends have themselves as neighbours
    const Cell cell = source[(layer * b + min(firstLine + line, b - 1u)) * a + place];
    tile[line][lane] = uvec2(cell.value, cell.weight);
  }
  barrier();

  const uint line = firstLine + lane;
  for (uint place = gl_LocalInvocationID.y; place < 30u; place += 8u) {
    const uvec2 sum = tile[lane][place] + 2u * tile[lane][place + 1u] + tile[lane][place + 2u];
    if (line < b && firstPlace + place < a) {
      target[((firstPlace + place) * c + layer) * b + line] = Cell(sum.x, sum.y);
    }
  }
}
