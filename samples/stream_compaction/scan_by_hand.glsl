// The rival of scan.glsl: the same tree with an unused element after every 32, and one barrier on each level.

shared uint padded[SIZE + SIZE / 32];
shared uint total; // of all elements

uint at(uint n) { return n + (n >> 5u); }
#define sums(n) padded[at(n)]

void scan() {
  const uint t = gl_LocalInvocationID.x;
  for (uint apart = 1u; apart < SIZE; apart *= 2u) {
    barrier();
    if (t < SIZE / 2u / apart) sums((2u * t + 2u) * apart - 1u) += sums((2u * t + 1u) * apart - 1u);
  }
  if (t == 0u) { // who wrote the last element
    total = sums(SIZE - 1u);
    sums(SIZE - 1u) = 0u;
  }
  for (uint apart = SIZE / 2u; apart > 0u; apart /= 2u) {
    barrier();
    if (t < SIZE / 2u / apart) {
      const uint low = sums((2u * t + 1u) * apart - 1u);
      const uint high = sums((2u * t + 2u) * apart - 1u);
      sums((2u * t + 1u) * apart - 1u) = high;
      sums((2u * t + 2u) * apart - 1u) = high + low;
    }
  }
  barrier();
}
