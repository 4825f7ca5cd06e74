// The three phases of a step. Each makes the new cell at `p` from the old ones around it, so that all cells can be made
// at once; where several badgers want the same, the first direction wins, which all who look can tell.
//
// They see the old cells through typeAt(), foodAt() and so on, cellAt() for a whole one: aos.glsl, soa.glsl,
// narrow.glsl or a tile in shared memory.

bool isEmpty(uint type) { return type < kBadger; }
bool isBadger(uint type) { return type >= kBadger && type < kRock; }

// North, east, south, west. Computed and not looked up in a table, which would hide that neighbours lie side by side.
ivec2 side(uint d) { return d % 2u == 0u ? ivec2(0, int(d) - 1) : ivec2(2 - int(d), 0); }
// North, north-east, and so on around.
int eastward(uint d) { return d % 4u == 0u ? 0 : d < 4u ? 1 : -1; }
ivec2 around(uint d) { return ivec2(eastward(d), eastward((d + 6u) % 8u)); }

// What is left of a cell when its badger has gone.
Cell ground(Cell c) { return Cell(0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, c.food, c.seed); }

#if PHASE == 0 || PHASE == 1 // 0: all

// ----- phase 1: the badger eats, grows older, perhaps dies, and decides where to go -----

Cell decide(ivec2 p) {
  Cell c = cellAt(p);
  c.seed = c.seed * 1664525u + 1013904223u + 2u * indexOf(p);
  c.moved = 0u;
  c.wish = 0u;
  if (isEmpty(c.type)) {
    if ((c.seed >> 28) < 5u) c.food = min(c.food + 1u, 255u);
    return c;
  }
  if (!isBadger(c.type)) return c;
  const uint bite = min(c.food, 6u + (c.traits & 3u));
  c.food -= bite;
  c.age += 1u;
  c.energy = min(c.energy + bite, 1000u);
  c.energy -= min(c.energy, 3u);
  if (c.energy == 0u || c.age > 300u + c.traits) {
    c.food = min(c.food + 20u, 255u);
    return ground(c);
  }
  uint best = c.food;
  for (uint d = 0u; d < 4u; ++d) {
    const ivec2 q = p + side(d);
    if (!isEmpty(typeAt(q))) continue;
    const uint worth = foodAt(q) + ((c.prefers & 3u) == d ? 16u : 0u);
    if (worth > best) {
      best = worth;
      c.wish = 1u + d;
    }
  }
  return c;
}

#endif
#if PHASE == 0 || PHASE == 2

// ----- phase 2: it goes there, if nobody else does -----

// The direction of the badger that comes to open ground at `p`, 4 for none.
uint comer(ivec2 p) {
  for (uint d = 0u; d < 4u; ++d) {
    const ivec2 q = p - side(d);
    if (isBadger(typeAt(q)) && wishAt(q) == 1u + d) return d;
  }
  return 4u;
}

Cell moveOn(ivec2 p) {
  Cell c = cellAt(p);
  const uint wish = c.wish;
  c.wish = 0u;
  if (isEmpty(c.type)) {
    const uint d = comer(p);
    if (d == 4u) return c;
    Cell m = cellAt(p - side(d));
    m.wish = 0u;
    m.moved = 1u;
    m.energy -= min(m.energy, 1u);
    m.food = c.food;
    m.seed = c.seed;
    return m;
  }
  if (wish == 0u) return c;
  if (comer(p + side(wish - 1u)) == wish - 1u) return ground(c);
  return c;
}

#endif
#if PHASE == 0 || PHASE == 3

// ----- phase 3: pairs that meet have a child on open ground beside the mother -----

bool isFertile(ivec2 p) {
  return isBadger(typeAt(p)) && ageAt(p) >= 18u && energyAt(p) >= 40u && ageAt(p) >= lastSexAt(p) + 12u;
}
bool isMother(ivec2 p) { return isFertile(p) && (genderAt(p) & 1u) == 0u; }

// The direction of the father beside a mother at `p`, 8 for none.
uint fatherBeside(ivec2 p) {
  const uint prefers = prefersAt(p);
  for (uint d = 0u; d < 8u; ++d) {
    const ivec2 q = p + around(d);
    if (isFertile(q) && (genderAt(q) & 1u) == 1u && ((prefers ^ traitsAt(q)) & 12u) != 12u) return d;
  }
  return 8u;
}

// The direction of the ground where a mother at `p` would have her child, 8 for none.
uint nestBeside(ivec2 p) {
  for (uint d = 0u; d < 8u; ++d)
    if (isEmpty(typeAt(p + around(d)))) return d;
  return 8u;
}

Cell child(Cell c, ivec2 mother, ivec2 father) {
  const uint a = c.seed >> 8, b = c.seed >> 16;
  const uint traits = (traitsAt(mother) & a) | (traitsAt(father) & ~a);
  const uint prefers = (prefersAt(mother) & b) | (prefersAt(father) & ~b);
  return Cell(kBadger, (c.seed >> 24) & 1u, 0u, 0u, 0u, 60u, traits & 255u, prefers & 255u, 0u, c.food, c.seed);
}

Cell mate(ivec2 p) {
  Cell c = cellAt(p);
  if (isEmpty(c.type)) {
    for (uint d = 0u; d < 8u; ++d) {
      const ivec2 q = p + around(d);
      if (!isMother(q)) continue;
      const uint father = fatherBeside(q);
      if (father < 8u && nestBeside(q) == (d + 4u) % 8u) return child(c, q, q + around(father));
    }
    return c;
  }
  if (!isFertile(p)) return c;
  if ((c.gender & 1u) == 0u) {
    if (fatherBeside(p) == 8u) return c;
    c.lastSex = c.age;
    c.energy -= 20u;
    return c;
  }
  for (uint d = 0u; d < 8u; ++d) {
    const ivec2 q = p + around(d);
    if (!isMother(q) || fatherBeside(q) != (d + 4u) % 8u) continue;
    c.lastSex = c.age;
    c.energy -= 5u;
    return c;
  }
  return c;
}

#endif
