#version 450
// First of three: sorts the pixels of a picture into the cells of a grid of 8x8 pixels by 16 levels of brightness. A
// cell is the sum of its pixels' values and how many they are. A workgroup makes four cells side by side, all levels,
// and adds up in shared memory.
//
// The width is a multiple of 32, the height of 8; groups are [width / 32, height / 8].

layout(local_size_x = 32, local_size_y = 8) in;

struct Cell {
  uint value;
  uint weight;
};

layout(set = 0, binding = 0) readonly buffer Picture {
  uint picture[]; // 0 to 255
};
layout(set = 0, binding = 1) writeonly buffer Grid {
  Cell grid[]; // columns first, then rows, then levels
};
layout(push_constant) uniform Sizes {
  uint width;
  uint height;
};

shared uint values[16][4];
shared uint weights[16][4];

void main() {
  const uint t = gl_LocalInvocationIndex;
  if (t < 64u) {
    values[t / 4u][t % 4u] = 0u;
    weights[t / 4u][t % 4u] = 0u;
  }
  barrier();

  const uint pixel = picture[gl_GlobalInvocationID.y * width + gl_GlobalInvocationID.x];
  const uint column = gl_LocalInvocationID.x / 8u;
  atomicAdd(values[pixel / 16u][column], pixel);
  atomicAdd(weights[pixel / 16u][column], 1u);
  barrier();

  if (t < 64u) {
    const uint rows = height / 8u, columns = width / 8u;
    const uint cell = (t / 4u * rows + gl_WorkGroupID.y) * columns + gl_WorkGroupID.x * 4u + t % 4u;
    grid[cell] = Cell(values[t / 4u][t % 4u], weights[t / 4u][t % 4u]);
  }
}
