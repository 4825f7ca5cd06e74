// Counts that may reach 0, and what only looks like such a count.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2>&1 | FileCheck %s '--implicit-check-not=eliminate-redundant-checks:{{removed|simplified}}' '--implicit-check-not=loop guard'
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// CODE-COUNT-25: OpAll
#version 430
layout(local_size_x = 8) in;
layout(binding = 0) buffer B { uint b[]; };
layout(push_constant) uniform Push { uint n; };
layout(constant_id = 0) const uint most = 0xffffffffu;
#define IS_ZERO(left) all(equal(uvec2(0u), left))
uvec2 highFirst(uvec2 left) { return left - uvec2(left.y == 0u ? 1u : 0u, 1u); }
uvec2 lowFirst(uvec2 left) {
  uint low = left.x - 1u;
  return uvec2(low, left.y - (low == 0xffffffffu ? 1u : 0u));
}
mediump uint relaxedNext(mediump uint i) { return i + 1u; }
bool relaxedLess(mediump uint a, mediump uint b) { return a < b; }
int relaxedInt(mediump uint i) { return int(i); }
void main() {
  uint sum = gl_GlobalInvocationID.x;
  const uvec2 start = uvec2(0xffffffffu);
  uvec2 left = start;
  // Data ends it, or nothing.
  for (;;) {
    // CHECK: [[#@LINE+1]]: missed: kept loop guard: nothing proves that its loops end before it has counted down to 0 [eliminate-redundant-checks:may-not-end]
    if (IS_ZERO(left)) break;
    left = highFirst(left);
    if (sum == 1u) break;
    sum = (sum & 1u) != 0u ? sum * 3u + 1u : sum >> 1;
  }
  // The bound may change.
  left = start;
  for (uint i = 0u;; ++i) {
    // CHECK: [[#@LINE+1]]: missed: kept loop guard
    if (IS_ZERO(left)) break;
    left = highFirst(left);
    if (i >= b[0]) break;
    b[gl_GlobalInvocationID.x] = ++sum;
  }
  // It steps over some bounds.
  left = start;
  for (uint i = 0u;; i += 2u) {
    // CHECK: [[#@LINE+1]]: missed: kept loop guard
    if (IS_ZERO(left)) break;
    left = highFirst(left);
    if (i == n) break;
    ++sum;
  }
  // Rounded up, a half of 1 is 1.
  left = start;
  for (uint s = n;; s = (s + 1u) / 2u) {
    // CHECK: [[#@LINE+1]]: missed: kept loop guard
    if (IS_ZERO(left)) break;
    left = highFirst(left);
    if (s == 0u) break;
    ++sum;
  }
  // Not every iteration comes to the test.
  left = start;
  for (uint i = 0u;; ++i) {
    // CHECK: [[#@LINE+1]]: missed: kept loop guard
    if (IS_ZERO(left)) break;
    left = highFirst(left);
    sum = sum * 5u + 1u;
    if ((sum & 4u) != 0u) continue;
    if (i == n) break;
  }
  // The loop around it may not end.
  left = start;
  for (uint i = 0u;; i += 2u) {
    for (uint k = 0u;; ++k) {
      // CHECK: [[#@LINE+1]]: missed: kept loop guard
      if (IS_ZERO(left)) break;
      left = highFirst(left);
      if (k >= n) break;
      sum += k;
    }
    if (i == n) break;
  }
  // Steps of eight may lead past a multiple of four.
  left = start;
  for (uint k = 0u;; k += 8u) {
    // CHECK: [[#@LINE+1]]: missed: kept loop guard
    if (IS_ZERO(left)) break;
    left = highFirst(left);
    if (!(k < n / 4u * 4u)) break;
    ++sum;
  }
  left = start;
  for (uint k = 0u;; k += 4u) {
    // CHECK: [[#@LINE+1]]: missed: kept loop guard
    if (IS_ZERO(left)) break;
    left = highFirst(left);
    if (!(k < n / 4u * 4u + 2u)) break;
    ++sum;
  }
  for (left = start;; sum += 8u) {
    // CHECK: [[#@LINE+1]]: missed: kept loop guard
    if (IS_ZERO(left)) break;
    left = highFirst(left);
    if (sum > (n & ~3u) + 2u) break;
  }
  // A quotient by 0 may be another one each time.
  left = start;
  for (uint i = 0u;; ++i) {
    // CHECK: [[#@LINE+1]]: missed: kept loop guard
    if (IS_ZERO(left)) break;
    left = highFirst(left);
    if (i >= 7u / n) break;
    ++sum;
  }
  // What is compared may be computed with 16 bits.
  left = start;
  for (uint i = 0u;; ++i) {
    // CHECK: [[#@LINE+1]]: missed: kept loop guard
    if (IS_ZERO(left)) break;
    left = highFirst(left);
    if (relaxedNext(i) >= n) break;
    ++sum;
  }
  left = start;
  for (uint i = 0u;; ++i) {
    // CHECK: [[#@LINE+1]]: missed: kept loop guard
    if (IS_ZERO(left)) break;
    left = highFirst(left);
    if (relaxedLess(n, i)) break;
    ++sum;
  }
  left = start;
  for (uint i = 0u;; i = uint(relaxedInt(i) + 1)) {
    // CHECK: [[#@LINE+1]]: missed: kept loop guard
    if (IS_ZERO(left)) break;
    left = highFirst(left);
    if (i == n) break;
    ++sum;
  }
  // Not from 2^64 - 1.
  left = uvec2(0u, 3u);
  for (uint i = 0u;; ++i) {
    if (IS_ZERO(left)) break;
    left = highFirst(left);
    if (i >= n) break;
    ++sum;
  }
  left = uvec2(0xffffffffu, most);
  for (uint i = 0u;; ++i) {
    if (IS_ZERO(left)) break;
    left = highFirst(left);
    if (i >= n) break;
    ++sum;
  }
  left = (sum & 2u) != 0u ? start : uvec2(0u, 1u);
  for (uint i = 0u;; ++i) {
    if (IS_ZERO(left)) break;
    left = highFirst(left);
    if (i >= n) break;
    ++sum;
  }
  // Not one less.
  left = start;
  for (uint i = 0u;; ++i) {
    if (IS_ZERO(left)) break;
    left = left - uvec2(left.y == 0u ? 1u : 0u, 3u);
    if (i >= n) break;
    ++sum;
  }
  // Borrowed at another time, the other way round, and from another count.
  left = start;
  for (uint i = 0u;; ++i) {
    if (IS_ZERO(left)) break;
    left = left - uvec2(left.y == 7u ? 1u : 0u, 1u);
    if (i >= n) break;
    ++sum;
  }
  left = start;
  for (uint i = 0u;; ++i) {
    if (IS_ZERO(left)) break;
    left = left - uvec2(left.y == 0u ? 0u : 1u, 1u);
    if (i >= n) break;
    ++sum;
  }
  left = start;
  for (uint i = 0u;; ++i) {
    if (IS_ZERO(left)) break;
    left = left - uvec2(sum == 0u ? 1u : 0u, 1u);
    if (i >= n) break;
    ++sum;
  }
  // Not asked for 0.
  left = start;
  for (uint i = 0u;; ++i) {
    if (all(equal(uvec2(0xffffffffu, 0xfffffffcu), left))) break;
    left = highFirst(left);
    if (i >= n) break;
    ++sum;
  }
  // Something else is written to it.
  left = start;
  for (uint i = 0u;; ++i) {
    if (IS_ZERO(left)) break;
    left = highFirst(left);
    if (i >= n) break;
    if ((++sum & 8u) != 0u) left = uvec2(0u, sum);
  }
  // Two ways to count, one after the other: 2^32 - 1 of each make 0.
  left = start;
  for (uint i = 0u; i < n; ++i) left = highFirst(left);
  for (uint i = 0u; i < n; ++i) left = lowFirst(left);
  for (uint i = 0u;; ++i) {
    if (IS_ZERO(left)) break;
    left = highFirst(left);
    if (i >= 3u) break;
    ++sum;
  }
  // The test's counter may wrap around at 2^16.
  left = start;
  mediump uint little = 0u;
  for (;; ++little) {
    // CHECK: [[#@LINE+1]]: missed: kept loop guard
    if (IS_ZERO(left)) break;
    left = highFirst(left);
    if (little >= n) break;
    ++sum;
  }
  // With 16 bits it would come to 0.
  mediump uvec2 shortLeft = start;
  for (uint i = 0u;; ++i) {
    if (IS_ZERO(shortLeft)) break;
    shortLeft = shortLeft - uvec2(shortLeft.y == 0u ? 1u : 0u, 1u);
    if (i >= n) break;
    ++sum;
  }
  b[gl_GlobalInvocationID.x] = sum;
}
