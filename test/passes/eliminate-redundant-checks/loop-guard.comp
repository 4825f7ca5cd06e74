// WebGPU's compilers count every loop down from 2^64 - 1 and leave it at 0. In loops that end anyway the count goes: with the low word
// first or second, of a bound that the loop loads again and again, in an inner loop whose count goes on through the outer one, in one that
// halves a number, as reductions do.
// RUN: %lanewise opt --inline --globaldce --sroa --mem2reg --gvn --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks --gvn --simplifycfg --adce --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2>&1 | FileCheck %s
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s '--implicit-check-not={{OpAll|OpISub}} %'
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CODE-COUNT-17: OpLoopMerge
#version 430
layout(local_size_x = 8) in;
layout(binding = 0) buffer B { uint b[]; };
layout(binding = 1) uniform Uniform { uint n; };
layout(push_constant) uniform Push { uint m; };
#define IS_ZERO(left) all(equal(uvec2(0u), left))
uvec2 highFirst(uvec2 left) { return left - uvec2(left.y == 0u ? 1u : 0u, 1u); }
uvec2 lowFirst(uvec2 left) {
  uint low = left.x - 1u;
  return uvec2(low, left.y - (low == 0xffffffffu ? 1u : 0u));
}
void main() {
  uint sum = gl_GlobalInvocationID.x;
  uvec2 a = uvec2(0xffffffffu), c = a, outer = a, inner = a, many = a;
  for (uint i = 0u;; ++i) {
    // CHECK-DAG: [[#@LINE+1]]: remark: loop guard is always false: other tests end the loop before it has counted down from 2^64 - 1 [eliminate-redundant-checks:removed]
    if (IS_ZERO(a)) break;
    a = highFirst(a);
    if (!(i < n)) break;
    sum += b[i] * i;
    b[gl_GlobalInvocationID.x] = sum;
  }
  for (uint i = m;; i -= 3u) {
    // CHECK-DAG: [[#@LINE+1]]: remark: loop guard is always false
    if (IS_ZERO(c)) break;
    if (i == 0u) break;
    sum = sum * 3u + i;
    c = lowFirst(c);
  }
  for (uint i = 0u;; ++i) {
    // CHECK-DAG: [[#@LINE+1]]: remark: loop guard is always false
    if (IS_ZERO(outer)) break;
    outer = highFirst(outer);
    if (i >= m) break;
    for (uint k = 0u;; ++k) {
      // CHECK-DAG: [[#@LINE+1]]: remark: loop guard is always false
      if (IS_ZERO(inner)) break;
      inner = highFirst(inner);
      if (k >= m) break;
      sum ^= k + i;
    }
  }
  // A continue leads past the count, which is then one less.
  for (uint i = 0u;; ++i) {
    // CHECK-DAG: [[#@LINE+1]]: remark: loop guard is always false
    if (IS_ZERO(many)) break;
    if (i >= 40u) break;
    if ((sum & i) == 1u) continue;
    many = highFirst(many);
    sum += i;
  }
  // Each starts anew where its own loop does: what is around it need not end.
  for (uint i = 0u;; i += 2u) {
    uvec2 own = uvec2(0xffffffffu);
    for (uint k = 0u;; ++k) {
      // CHECK-DAG: [[#@LINE+1]]: remark: loop guard is always false
      if (IS_ZERO(own)) break;
      own = highFirst(own);
      if (k >= min(m, n)) break;
      sum += k;
    }
    if (i >= n + m) break;
    if (sum < 5u) break;
    sum >>= 1;
  }
  uvec2 halving = uvec2(0xffffffffu), ceiling = halving;
  for (int s = int(m);; s /= 2) {
    // CHECK-DAG: [[#@LINE+1]]: remark: loop guard is always false
    if (IS_ZERO(halving)) break;
    if (!(s > 0)) break;
    halving = highFirst(halving);
    sum = sum * 3u + uint(s);
  }
  for (uint s = n + m;; s = (s + 0xffffffffu) / 2u + 1u) { // less 1, without OpISub
    // CHECK-DAG: [[#@LINE+1]]: remark: loop guard is always false
    if (IS_ZERO(ceiling)) break;
    ceiling = lowFirst(ceiling);
    if (s <= 1u) break;
    sum = sum * 5u + s;
  }
  // Three loops of 2^32 iterations are more than 2^64, and no device comes to the end of those.
  uvec2 three = uvec2(0xffffffffu), around = three, aligned = three, strided = three, doubled = three;
  for (uint i = 0u; i < n; ++i)
    for (uint j = 0u; j < n; ++j)
      for (uint k = 0u;; ++k) {
        // CHECK-DAG: [[#@LINE+1]]: remark: loop guard is always false
        if (IS_ZERO(three)) break;
        three = highFirst(three);
        if (k >= n) break;
        sum += i ^ j ^ k;
      }
  for (uint i = 0u;; ++i) {
    for (uint k = 0u;; ++k) {
      // CHECK-DAG: [[#@LINE+1]]: remark: loop guard is always false
      if (IS_ZERO(around)) break;
      around = highFirst(around);
      if (k >= n) break;
      sum += k;
    }
    if (i >= n) break;
  }
  // No step leads past a multiple of four, nor past an array's length.
  for (uint k = 0u;; k += 4u) {
    // CHECK-DAG: [[#@LINE+1]]: remark: loop guard is always false
    if (IS_ZERO(aligned)) break;
    aligned = highFirst(aligned);
    if (!(k < n / 4u * 4u)) break;
    sum ^= k;
  }
  for (uint i = m;; i += 256u) {
    // CHECK-DAG: [[#@LINE+1]]: remark: loop guard is always false
    if (IS_ZERO(strided)) break;
    strided = highFirst(strided);
    if (i >= b.length()) break;
    sum += i;
  }
  for (uint d = 1u;; d *= 2u) {
    // CHECK-DAG: [[#@LINE+1]]: remark: loop guard is always false
    if (IS_ZERO(doubled)) break;
    doubled = lowFirst(doubled);
    if (d >= 64u) break;
    sum ^= sum << d;
  }
  b[gl_GlobalInvocationID.x] = sum;
}
