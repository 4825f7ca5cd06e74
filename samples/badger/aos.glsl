// Cells as they are: an array of structs.
layout(set = 0, binding = 0) readonly buffer Before {
  Cell before[];
};
layout(set = 0, binding = 1) writeonly buffer After {
  Cell after[];
};

uint typeAt(ivec2 p) { return before[indexOf(p)].type; }
uint genderAt(ivec2 p) { return before[indexOf(p)].gender; }
uint ageAt(ivec2 p) { return before[indexOf(p)].age; }
uint lastSexAt(ivec2 p) { return before[indexOf(p)].lastSex; }
uint energyAt(ivec2 p) { return before[indexOf(p)].energy; }
uint traitsAt(ivec2 p) { return before[indexOf(p)].traits; }
uint prefersAt(ivec2 p) { return before[indexOf(p)].prefers; }
uint wishAt(ivec2 p) { return before[indexOf(p)].wish; }
uint foodAt(ivec2 p) { return before[indexOf(p)].food; }
Cell cellAt(ivec2 p) { return before[indexOf(p)]; }
void store(ivec2 p, Cell c) { after[indexOf(p)] = c; }
void prepare() {}
