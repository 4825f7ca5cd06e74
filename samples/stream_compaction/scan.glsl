// Exclusive prefix sums of SIZE elements in shared memory by at least SIZE / 2 invocations: sums go up a tree in place,
// and back down. Lanes side by side work on elements 2, 4, 8, ... apart, so ever more of them meet in a bank; and on
// each level stand two barriers where one is enough.

shared uint sums[SIZE];
shared uint total; // of all elements

void scan() {
  const uint t = gl_LocalInvocationID.x;
  for (uint apart = 1u; apart < SIZE; apart *= 2u) {
    barrier();
    if (t < SIZE / 2u / apart) sums[(2u * t + 2u) * apart - 1u] += sums[(2u * t + 1u) * apart - 1u];
    barrier();
  }
  barrier();
  if (t == 0u) {
    total = sums[SIZE - 1u];
    sums[SIZE - 1u] = 0u;
  }
  for (uint apart = SIZE / 2u; apart > 0u; apart /= 2u) {
    barrier();
    if (t < SIZE / 2u / apart) {
      const uint low = sums[(2u * t + 1u) * apart - 1u];
      const uint high = sums[(2u * t + 2u) * apart - 1u];
      sums[(2u * t + 1u) * apart - 1u] = high;
      sums[(2u * t + 2u) * apart - 1u] = high + low;
    }
    barrier();
  }
  barrier();
}
