#version 450
#extension GL_GOOGLE_include_directive : require
// A whole step at once, by hand: a workgroup keeps 16x16 cells and five more on each side in shared memory and runs all
// three phases over them, each over fewer. Nothing goes through the second buffer between phases.
layout(local_size_x = 16, local_size_y = 16) in;

#define PHASE 0
#include "cell.glsl"

layout(set = 0, binding = 0) readonly buffer Before {
  Cell before[];
};
layout(set = 0, binding = 1) writeonly buffer After {
  Cell after[];
};

const int kSide = 16 + 2 * 5;
shared Cell tile[kSide * kSide];

ivec2 corner() { return ivec2(gl_WorkGroupID.xy) * 16 - 5; }
int slot(ivec2 p) {
  const ivec2 q = p - corner();
  return q.y * kSide + q.x;
}

uint typeAt(ivec2 p) { return tile[slot(p)].type; }
uint genderAt(ivec2 p) { return tile[slot(p)].gender; }
uint ageAt(ivec2 p) { return tile[slot(p)].age; }
uint lastSexAt(ivec2 p) { return tile[slot(p)].lastSex; }
uint energyAt(ivec2 p) { return tile[slot(p)].energy; }
uint traitsAt(ivec2 p) { return tile[slot(p)].traits; }
uint prefersAt(ivec2 p) { return tile[slot(p)].prefers; }
uint wishAt(ivec2 p) { return tile[slot(p)].wish; }
uint foodAt(ivec2 p) { return tile[slot(p)].food; }
Cell cellAt(ivec2 p) { return tile[slot(p)]; }

#include "rules.glsl"

// The cells of this invocation; the last row of the tile leaves some without a third.
const int kCells = (kSide * kSide + 255) / 256;
ivec2 cell(int n) {
  const int k = int(gl_LocalInvocationIndex) + 256 * n;
  return ivec2(k % kSide, k / kSide);
}
// Whether it is at least `margin` away from the tile's border.
bool isInner(ivec2 q, int margin) {
  return all(greaterThanEqual(q, ivec2(margin))) && all(lessThan(q, ivec2(kSide - margin)));
}

// All new cells are made before any is put in place.
#define RUN(phase, margin)                                              \
  for (int n = 0; n < kCells; ++n)                                      \
    if (isInner(cell(n), margin)) made[n] = phase(corner() + cell(n));  \
  barrier();                                                            \
  for (int n = 0; n < kCells; ++n)                                      \
    if (isInner(cell(n), margin)) tile[slot(corner() + cell(n))] = made[n]; \
  barrier();

void main() {
  for (int n = 0; n < kCells; ++n)
    if (isInner(cell(n), 0)) tile[slot(corner() + cell(n))] = before[indexOf(corner() + cell(n))];
  barrier();
  Cell made[kCells];
  RUN(decide, 1)
  RUN(moveOn, 3)
  RUN(mate, 5)
  const ivec2 p = ivec2(gl_GlobalInvocationID.xy);
  after[indexOf(p)] = cellAt(p);
}
