// Early returns in all kinds of places.
// RUN: %lanewise opt --target-env=vulkan1.2 --remarks=none %s -o %t.in.spv
// RUN: %lanewise opt --inline --globaldce --target-env=vulkan1.2 --remarks=missed %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK-NOT: missed
// CHECK-NOT: OpFunctionCall
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { uint data[]; };

uint guards(uint x) {
  if (x == 0u) return 5u;
  if (x == 1u) return 6u;
  data[gl_GlobalInvocationID.x] = x;
  if ((x & 1u) != 0u) return x * 3u;
  return x;
}

uint allReturn(uint x) {
  if (x < 20u) {
    if ((x & 1u) != 0u) return 1u;
    else return 2u;
  } else {
    x /= 3u;
  }
  return x;
}

uint cases(uint x) {
  switch (x & 7u) {
  case 0u: return 1u;
  case 1u: x += 5u;
  case 2u: return x;
  default: return 4u;
  }
}

uint oneCaseGoesOn(uint x) {
  switch (x & 3u) {
  case 0u: return 1u;
  case 1u:
    if (x > 20u) return 3u;
    x += 7u;
    break;
  default: return 2u;
  }
  for (uint i = 0u; i < x; ++i) {
    if (i * i == x) return i;
  }
  return x;
}

uint innerGoesOnBehind(uint x, uint y) {
  if (x > 10u) {
    if (y > 3u) return 9u;
    x += y;
    if (y == 2u) { if (x > 30u) return x; } else { y += 3u; }
    y ^= x;
  } else if (y > 2u) {
    for (uint i = 0u; i < y; ++i) {
      if (i == x) return i + 50u;
      for (;;) {
        if (++x > 8u) break;
        if (x == 7u && y == 5u) return 77u;
      }
    }
    x = 3u;
  }
  return x * y;
}

uint onlyReturnsInside(uint x) {
  for (uint i = 0u; i < x % 5u; ++i) {
    if ((x & 1u) != 0u) {
      for (;;) {
        if (x > 90u) return i;
        x = x * 2u + 1u;
      }
    }
  }
  return 200u;
}

void store(uint i, uint x) {
  if ((i & 7u) == 3u) return;
  while (x > 3u) {
    if (x == 20u) return;
    x -= 3u;
  }
  data[i] += x;
}

void main() {
  uint i = gl_GlobalInvocationID.x, x = data[i] & 63u;
  uint r = guards(x) + allReturn(x) * 3u + cases(x) * 5u + oneCaseGoesOn(x) * 7u + onlyReturnsInside(x) * 11u;
  for (uint k = 0u; k < 6u; ++k) r = r * 3u + innerGoesOnBehind(x, k);
  data[i] = r;
  store(i, x);
}
