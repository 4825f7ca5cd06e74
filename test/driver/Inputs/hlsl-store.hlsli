RWByteAddressBuffer words : register(u0);

uint2 next(inout uint state) {
  state = state * 1664525u + 1013904223u;
  return uint2(state, state >> 16);
}

void put(uint place, inout uint state) { words.Store2(place, next(state)); }
