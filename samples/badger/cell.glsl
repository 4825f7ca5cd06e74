// What stands in one cell of the grid: ground, and perhaps a badger on it. 44 bytes.
struct Cell {
  uint type;    // below 128 open ground, from 251 on rock, else a badger
  uint gender;  // of the badger, as all up to `wish`: bit 0 is set for males
  uint age;     // in steps
  uint moved;   // 1 where it came here in this step
  uint lastSex; // its age then
  uint energy;
  uint traits;  // 8 bits: appetite, length of life, what others see in it
  uint prefers; // 8 bits: which way to walk, whom to meet
  uint wish;    // where it wants to go: 0 nowhere, else 1 + a direction
  uint food;    // of the ground
  uint seed;    // of the ground: its own random numbers
};

const uint kBadger = 128u, kRock = 251u;

layout(push_constant) uniform Parameters {
  uvec2 size; // of the grid in cells, whose borders are joined
};

uint indexOf(ivec2 p) {
  const uvec2 at = uvec2(p + ivec2(size)) % size; // at most `size` away
  return at.y * size.x + at.x;
}
