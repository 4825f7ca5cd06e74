#version 450

// transpose.comp with the tile padded by hand, the way an expert would: one unused word at the end of each
// row puts the elements of a column into 32 different banks. The rival that Lanewise has to match.
//
// The sizes are multiples of 32; groups are [width / 32, height / 32].

layout(local_size_x = 32, local_size_y = 8) in;

layout(set = 0, binding = 0, std430) readonly restrict buffer Source { float source[]; };
layout(set = 0, binding = 1, std430) writeonly restrict buffer Target { float target[]; };
layout(push_constant) uniform Sizes {
  uint width;   // of the source
  uint height;
};

shared float tile[32][33];

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
