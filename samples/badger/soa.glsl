// Cells by hand as eleven arrays, one behind the other (SoA, soa.json).
layout(set = 0, binding = 0) readonly buffer Before {
  uint before[];
};
layout(set = 0, binding = 1) writeonly buffer After {
  uint after[];
};

uint at(uint field, ivec2 p) { return field * size.x * size.y + indexOf(p); }

uint typeAt(ivec2 p) { return before[at(0u, p)]; }
uint genderAt(ivec2 p) { return before[at(1u, p)]; }
uint ageAt(ivec2 p) { return before[at(2u, p)]; }
uint lastSexAt(ivec2 p) { return before[at(4u, p)]; }
uint energyAt(ivec2 p) { return before[at(5u, p)]; }
uint traitsAt(ivec2 p) { return before[at(6u, p)]; }
uint prefersAt(ivec2 p) { return before[at(7u, p)]; }
uint wishAt(ivec2 p) { return before[at(8u, p)]; }
uint foodAt(ivec2 p) { return before[at(9u, p)]; }
Cell cellAt(ivec2 p) {
  return Cell(before[at(0u, p)], before[at(1u, p)], before[at(2u, p)], before[at(3u, p)],
              before[at(4u, p)], before[at(5u, p)], before[at(6u, p)], before[at(7u, p)],
              before[at(8u, p)], before[at(9u, p)], before[at(10u, p)]);
}
void store(ivec2 p, Cell c) {
  after[at(0u, p)] = c.type;
  after[at(1u, p)] = c.gender;
  after[at(2u, p)] = c.age;
  after[at(3u, p)] = c.moved;
  after[at(4u, p)] = c.lastSex;
  after[at(5u, p)] = c.energy;
  after[at(6u, p)] = c.traits;
  after[at(7u, p)] = c.prefers;
  after[at(8u, p)] = c.wish;
  after[at(9u, p)] = c.food;
  after[at(10u, p)] = c.seed;
}
void prepare() {}
