#version 450

// Transposes a matrix of floats through shared memory. A workgroup of 32x8 invocations moves one tile of
// 32x32 elements, four elements an invocation: it reads the tile row by row and writes it row by row of the
// target, so both sides touch whole cache lines. The turn happens in shared memory, where the tile is read
// by column - and that is what is slow: its rows are 32 words long, so the 32 lanes of a subgroup all meet
// in one bank.
//
// The sizes are multiples of 32; groups are [width / 32, height / 32].

layout(local_size_x = 32, local_size_y = 8) in;

layout(set = 0, binding = 0, std430) readonly restrict buffer Source { float source[]; };
layout(set = 0, binding = 1, std430) writeonly restrict buffer Target { float target[]; };
layout(push_constant) uniform Sizes {
  uint width;   // of the source
  uint height;
};

shared float tile[32][32];

void main() {
  uint column = gl_LocalInvocationID.x;
  uint firstRow = gl_LocalInvocationID.y;
  uvec2 corner = gl_WorkGroupID.xy * 32;

  for (uint step = 0; step < 4; ++step) {
    uint row = firstRow + step * 8;
    tile[row][column] = source[(corner.y + row) * width + corner.x + column];
  }

  barrier();

  for (uint step = 0; step < 4; ++step) {
    uint row = firstRow + step * 8;
    target[(corner.x + row) * height + corner.y + column] = tile[column][row];
  }
}
