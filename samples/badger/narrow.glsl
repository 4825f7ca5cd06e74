// Cells with narrowed fields, by hand: 20 bytes in place of 44 (narrow.json).
struct Narrow {
  uint typeGenderAge; // 8, 8 and 16 bits
  uint movedWishSex;  // 8, 8, 16
  uint energyTraits;  // 16, 8, and 8 of `prefers`
  uint food;          // 8
  uint seed;
};
layout(set = 0, binding = 0) readonly buffer Before {
  Narrow before[];
};
layout(set = 0, binding = 1) writeonly buffer After {
  Narrow after[];
};

uint typeAt(ivec2 p) { return before[indexOf(p)].typeGenderAge & 255u; }
uint genderAt(ivec2 p) { return (before[indexOf(p)].typeGenderAge >> 8) & 255u; }
uint ageAt(ivec2 p) { return before[indexOf(p)].typeGenderAge >> 16; }
uint lastSexAt(ivec2 p) { return before[indexOf(p)].movedWishSex >> 16; }
uint energyAt(ivec2 p) { return before[indexOf(p)].energyTraits & 65535u; }
uint traitsAt(ivec2 p) { return (before[indexOf(p)].energyTraits >> 16) & 255u; }
uint prefersAt(ivec2 p) { return before[indexOf(p)].energyTraits >> 24; }
uint wishAt(ivec2 p) { return (before[indexOf(p)].movedWishSex >> 8) & 255u; }
uint foodAt(ivec2 p) { return before[indexOf(p)].food & 255u; }
Cell cellAt(ivec2 p) {
  const Narrow n = before[indexOf(p)];
  return Cell(n.typeGenderAge & 255u, (n.typeGenderAge >> 8) & 255u, n.typeGenderAge >> 16,
              n.movedWishSex & 255u, n.movedWishSex >> 16, n.energyTraits & 65535u,
              (n.energyTraits >> 16) & 255u, n.energyTraits >> 24, (n.movedWishSex >> 8) & 255u,
              n.food & 255u, n.seed);
}
void store(ivec2 p, Cell c) {
  after[indexOf(p)] = Narrow(c.type | c.gender << 8 | c.age << 16, c.moved | c.wish << 8 | c.lastSex << 16,
                             c.energy | c.traits << 16 | c.prefers << 24, c.food, c.seed);
}
void prepare() {}
