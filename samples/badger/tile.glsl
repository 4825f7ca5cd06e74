// By hand: what the neighbours look at is fetched once a workgroup, into shared memory with two cells around.
// PHASE says which fields that takes.
layout(set = 0, binding = 0) readonly buffer Before {
  Cell before[];
};
layout(set = 0, binding = 1) writeonly buffer After {
  Cell after[];
};

const int kSide = 16 + 2 * 2;
shared uint tileType[kSide * kSide];
#if PHASE == 1
shared uint tileFood[kSide * kSide];
#elif PHASE == 2
shared uint tileWish[kSide * kSide];
#else
shared uint tileGender[kSide * kSide], tileAge[kSide * kSide], tileLastSex[kSide * kSide],
    tileEnergy[kSide * kSide], tileTraits[kSide * kSide], tilePrefers[kSide * kSide];
#endif

ivec2 corner() { return ivec2(gl_WorkGroupID.xy) * 16 - 2; }
int slot(ivec2 p) {
  const ivec2 q = p - corner();
  return q.y * kSide + q.x;
}

void prepare() {
  for (int n = int(gl_LocalInvocationIndex); n < kSide * kSide; n += 256) {
    const uint i = indexOf(corner() + ivec2(n % kSide, n / kSide));
    tileType[n] = before[i].type;
#if PHASE == 1
    tileFood[n] = before[i].food;
#elif PHASE == 2
    tileWish[n] = before[i].wish;
#else
    tileGender[n] = before[i].gender;
    tileAge[n] = before[i].age;
    tileLastSex[n] = before[i].lastSex;
    tileEnergy[n] = before[i].energy;
    tileTraits[n] = before[i].traits;
    tilePrefers[n] = before[i].prefers;
#endif
  }
  barrier();
}

uint typeAt(ivec2 p) { return tileType[slot(p)]; }
#if PHASE == 1
uint foodAt(ivec2 p) { return tileFood[slot(p)]; }
#elif PHASE == 2
uint wishAt(ivec2 p) { return tileWish[slot(p)]; }
#else
uint genderAt(ivec2 p) { return tileGender[slot(p)]; }
uint ageAt(ivec2 p) { return tileAge[slot(p)]; }
uint lastSexAt(ivec2 p) { return tileLastSex[slot(p)]; }
uint energyAt(ivec2 p) { return tileEnergy[slot(p)]; }
uint traitsAt(ivec2 p) { return tileTraits[slot(p)]; }
uint prefersAt(ivec2 p) { return tilePrefers[slot(p)]; }
#endif
Cell cellAt(ivec2 p) { return before[indexOf(p)]; }
void store(ivec2 p, Cell c) { after[indexOf(p)] = c; }
