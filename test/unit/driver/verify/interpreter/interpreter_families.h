// Families of instructions as GLSL, whose results the specification fixes to the last bit: what
// Vulkan lets a device round as it likes (transcendental functions, contraction) is left out.
#pragma once

#include <ostream>
#include <string>

namespace lanewise::test {

struct Family {
  const char* name;
  const char* extensions;
  const char* globals;
  const char* body; ///< `t` is the invocation; x, y, f, g are its inputs; puts results by put()

  std::string text() const {
    return std::string("#version 450\n") + extensions +
           "layout(local_size_x = 64) in;\n"
           "layout(binding = 0) readonly buffer A { uint a[]; };\n"
           "layout(binding = 1) buffer B { uint b[]; };\n" +
           globals +
           "uint at;\nvoid put(uint v) { b[at++] = v; }\n"
           "void putf(float v) { put(floatBitsToUint(v)); }\n"
           "void main() {\nuint t = gl_GlobalInvocationID.x, l = gl_LocalInvocationIndex;\n"
           "at = t * 32; uint x = a[t * 2], y = a[t * 2 + 1];\n"
           "float f = float(int(x & 0xFFFu) - 2048) / 64.0, g = float(y & 0xFFu) * 0.5;\n" +
           body + "\n}\n";
  }
};

inline void PrintTo(const Family& family, std::ostream* out) {
  *out << family.name;
}

constexpr Family kFamilies[] = {
    {"Integers", "", "",
     "int i = int(x), j = int(y) | 1; uint z = y | 1u;\n"
     "put(x + y); put(x - y); put(x * y); put(x / z); put(x % z); put(uint(i / (j & 0xFFF | 1)));\n"
     "put(uint(-i)); put(~x); put(x << (y & 31u)); put(x >> (y & 31u)); put(uint(i >> (y & "
     "31u)));\n"
     "put(uint(x < y) | uint(i < j) << 1 | uint(x >= y) << 2 | uint(i == j) << 3);\n"
     "put(uint(abs(i))); put(uint(min(i, j))); put(max(x, y)); put(uint(sign(i)));\n"
     "put(uint(clamp(i, -500, 500)));"},
    {"Bits", "", "",
     "put(bitfieldExtract(x, 3, 7)); put(uint(bitfieldExtract(int(x), 5, 9)));\n"
     "put(bitfieldInsert(x, y, 8, 11)); put(bitfieldReverse(x)); put(uint(bitCount(x)));\n"
     "put(uint(findLSB(x))); put(uint(findMSB(x))); put(uint(findMSB(int(y))));\n"
     "uint carry, borrow, low, high; int slow, shigh;\n"
     "put(uaddCarry(x, y, carry)); put(carry); put(usubBorrow(x, y, borrow)); put(borrow);\n"
     "umulExtended(x, y, high, low); put(high); put(low);\n"
     "imulExtended(int(x), int(y), shigh, slow); put(uint(shigh)); put(uint(slow));"},
    {"Floats", "", "",
     "putf(f + g); putf(f - g); putf(f * g); putf(-f); putf(f / 4.0);\n"
     "put(uint(f < g) | uint(f >= g) << 1 | uint(f == g) << 2 | uint(f != g) << 3);\n"
     "putf(abs(f)); putf(floor(f)); putf(ceil(f)); putf(trunc(f)); putf(fract(f));\n"
     "putf(roundEven(f)); putf(min(f, g)); putf(max(f, g)); putf(sign(f)); putf(step(f, g));\n"
     "put(uint(isnan(f)) | uint(isinf(g)) << 1); put(floatBitsToUint(f)); putf(sqrt(f * f));"},
    {"Conversions", "", "",
     "put(uint(int(f))); put(uint(abs(f))); putf(float(x)); putf(float(int(x)));\n"
     "put(packHalf2x16(vec2(f, g))); putf(unpackHalf2x16(x & 0x3BFF3BFFu).y);\n"
     "put(packUnorm4x8(vec4(f, g, 0.25, 0.75))); put(packSnorm2x16(vec2(f * 0.1, 0.5)));"},
    {"VectorsAndMatrices", "", "",
     "uvec4 v = uvec4(x, y, x ^ y, t); uvec4 w = v.wzyx + v.yyzz; put(w.x); put(w.y); put(w.z);\n"
     "put(v[y & 3u]); v[x & 3u] = 77u; put(v.x); put(v.y); put(v.z); put(v.w);\n"
     "bvec4 c = greaterThan(v, w); put(uint(any(c)) | uint(all(c)) << 1);\n"
     "put(mix(v, w, c).z); mat3 m = mat3(1, 2, 3, 4, 5, 6, 7, 8, float(t & 15u));\n"
     "m[y % 3u] = vec3(2, 3, 4); mat3 n = transpose(m); putf(n[0].x); putf(n[1].z); putf(n[2].y);\n"
     "mat3 p = matrixCompMult(m, n); putf(p[2].z);\n"
     "vec3 q = m * vec3(1, 2, 3); putf(q.x); putf(q.z); q = vec3(1, 0, 2) * m; putf(q.y);\n"
     "mat3 o = outerProduct(vec3(1, 2, 3), vec3(4, 5, 6)); putf(o[1].z); putf((m * n)[1].x);\n"
     "putf(dot(vec2(2, 3), vec2(float(t), 4)));"},
    {"ControlFlow", "",
     "uint collatz(uint n) { uint steps = 0; while (n != 1 && steps < 200) {\n"
     "n = (n & 1u) == 0 ? n / 2 : 3 * n + 1; ++steps; } return steps; }\n"
     "uint pick(uint k, inout uint w) { w += 3; switch (k) { case 0: return 5; case 1: w ^= 9;\n"
     "case 2: return w; default: break; } return k * 7; }\n",
     "put(collatz(t + 1)); uint w = x; put(pick(y & 3u, w)); put(w); put(pick(w & 1u, w));\n"
     "uint sum = 0, a0 = 1, b0 = 2; for (uint i = 0; i < (y & 15u); ++i) {\n"
     "uint swap = a0; a0 = b0; b0 = swap + i; if (i == 3) continue; if (i == 11) break;\n"
     "for (uint j = i; j < 6; ++j) { if (((i + j) & 3u) == 1) continue; sum += i * j; } }\n"
     "put(sum); put(a0); put(b0); do { sum >>= 1; } while (sum > 10); put(sum);"},
    {"LocalArraysAndStructs", "",
     "struct P { uint u[3]; vec2 v; bool w; };\n"
     "const uint table[8] = uint[](3, 1, 4, 1, 5, 9, 2, 6);\n"
     "uint scratch[16];\nuint sum(P p) { return p.u[0] + p.u[1] * 3 + p.u[2] * 7 + uint(p.w); }\n",
     "P p[2]; p[0] = P(uint[3](x, y, t), vec2(1, 2), x > y); p[1] = p[0]; p[1].u[y % 3u] = 11u;\n"
     "p[t & 1u].v.y = 5.0; put(sum(p[0])); put(sum(p[1])); putf(p[x & 1u].v.y);\n"
     "for (uint i = 0; i < 16; ++i) scratch[i] = table[(i + x) & 7u]; put(scratch[y & 15u]);"},
    {"SharedMemory", "",
     "shared uint s[64]; shared vec3 sv[64]; shared struct { uint k; uvec2 m; } ss[64];\n"
     "shared mat2 sm[4];\n",
     "s[l] = x; sv[l] = vec3(f, float(l), 3); ss[l].k = y; ss[l].m = uvec2(l, x);\n"
     "if (l < 4) sm[l] = mat2(l, 2, 3, 4); barrier(); put(s[63 - l]); putf(sv[l ^ 5u].y);\n"
     "putf(sv[l ^ 1u].x); put(ss[(l + 9u) & 63u].m.y + ss[l ^ 2u].k); putf(sm[l & 3u][0].x);\n"
     "putf(sm[(l + 1u) & 3u][1][l & 1u]);\n"
     "for (uint k = 32; k > 0; k >>= 1) { barrier(); if (l < k) s[l] += s[l + k]; }\n"
     "barrier(); put(s[0]);"},
    {"Atomics", "", "shared uint s[8]; shared int si;\n",
     "if (l < 8) s[l] = l; if (l == 0) si = 0; barrier(); atomicAdd(s[0], x); atomicMin(s[1], x);\n"
     "atomicMax(s[2], x); atomicAnd(s[3], x); atomicOr(s[4], x); atomicXor(s[5], x);\n"
     "atomicMin(si, int(x)); atomicCompSwap(s[6], 6, 99); atomicAdd(b[4300], x);\n"
     "if (l == 9) atomicExchange(s[7], 5); barrier();\n"
     "for (uint k = 0; k < 8; ++k) put(s[k]); put(uint(si));"},
    {"StorageLayouts",
     "#extension GL_EXT_shader_16bit_storage : require\n"
     "#extension GL_EXT_shader_8bit_storage : require\n"
     "#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
     "#extension GL_EXT_scalar_block_layout : require\n",
     "struct E { vec3 a; float b; uint16_t c[2]; };\n"
     "layout(binding = 2, std430) buffer L { uint count; layout(row_major) mat3x2 r; mat2x3 c;\n"
     "uint8_t bytes[128]; i16vec2 halves[128]; E e[]; } L1;\n",
     "L1.bytes[t] = uint8_t(x); L1.halves[t] = i16vec2(x, y); E e; e.a = vec3(f, 1, 2); e.b = g;\n"
     "e.c[0] = uint16_t(x); e.c[1] = uint16_t(y); L1.e[t] = e; if (t == 0) {\n"
     "L1.r = mat3x2(1, 2, 3, 4, 5, 6); L1.c = mat2x3(1, 2, 3, 4, 5, 6); L1.count = 7;\n"
     "putf(L1.r[2].x); putf(L1.r[1][1]); putf(L1.c[1].z); put(uint(L1.e.length())); }\n"
     "put(uint(L1.bytes[t])); put(uint(int(L1.halves[t].y))); putf(L1.e[t].a.x);\n"
     "put(uint(L1.e[t].c[1]));"},
    {"WideAndNarrowTypes", "#extension GL_EXT_shader_explicit_arithmetic_types : require\n", "",
     "int64_t w = int64_t(x) * int64_t(int(y)); put(uint(w)); put(uint(w >> 32));\n"
     "uint64_t u = uint64_t(x) << 20 | y; put(uint(u / 1000ul)); put(uint(u % 77ul));\n"
     "uint8_t n = uint8_t(x) * uint8_t(3); put(uint(n)); int16_t h = int16_t(y) / int16_t(7);\n"
     "put(uint(int(h))); double d = double(f) * 3.0lf + double(x); put(uint(d * 0.001lf));\n"
     "uvec2 parts = unpackUint2x32(u); put(parts.y); put(uint(packUint2x32(uvec2(y, x)) >> 40));\n"
     "put(uint(u > uint64_t(y)) | uint(w < 0l) << 1);"},
    {"SubgroupVoteAndBallot",
     "#extension GL_KHR_shader_subgroup_basic : require\n"
     "#extension GL_KHR_shader_subgroup_vote : require\n"
     "#extension GL_KHR_shader_subgroup_ballot : require\n",
     "",
     "put(uint(subgroupElect())); put(gl_SubgroupInvocationID); put(gl_SubgroupSize);\n"
     "put(uint(subgroupAll(x > 5u)) | uint(subgroupAny(x > y)) << 1);\n"
     "put(uint(subgroupAllEqual(l / 8u))); uvec4 m = subgroupBallot((x & 1u) == 0); put(m.x);\n"
     "put(subgroupBallotBitCount(m)); put(subgroupBallotExclusiveBitCount(m));\n"
     "put(uint(subgroupInverseBallot(m))); put(subgroupBroadcast(x, 3)); "
     "put(subgroupBroadcastFirst(y));\n"
     "put(gl_SubgroupLtMask.x); put(gl_SubgroupGeMask.x);\n"
     "if ((x & 2u) == 0) { put(subgroupBallot(true).x); put(subgroupBroadcastFirst(x)); }\n"
     "put(subgroupBallot(true).x);"},
    {"SubgroupArithmeticAndShuffle",
     "#extension GL_KHR_shader_subgroup_arithmetic : require\n"
     "#extension GL_KHR_shader_subgroup_shuffle : require\n"
     "#extension GL_KHR_shader_subgroup_shuffle_relative : require\n"
     "#extension GL_KHR_shader_subgroup_quad : require\n",
     "",
     "put(subgroupAdd(x)); put(subgroupInclusiveAdd(x)); put(subgroupExclusiveAdd(y));\n"
     "put(subgroupMul(x | 1u)); put(uint(subgroupMin(int(x)))); put(subgroupMax(x));\n"
     "put(subgroupAnd(x)); put(subgroupOr(x)); put(subgroupXor(y)); putf(subgroupMax(f));\n"
     "put(subgroupShuffle(x, l & 7u)); put(subgroupShuffleXor(y, 1));\n"
     "uint up = subgroupShuffleUp(x, 1); put(gl_SubgroupInvocationID > 0 ? up : 0);\n"
     "put(subgroupQuadBroadcast(x, 2)); put(subgroupQuadSwapHorizontal(x));\n"
     "put(subgroupQuadSwapVertical(y)); put(subgroupQuadSwapDiagonal(y));"},
    {"SubgroupInDivergentLoops",
     "#extension GL_KHR_shader_subgroup_arithmetic : require\n"
     "#extension GL_KHR_shader_subgroup_ballot : require\n",
     "",
     "uint sum = 0; for (uint k = 0; k < (x & 3u) + 1; ++k) sum += subgroupAdd(k + 1); put(sum);\n"
     "if ((y & 1u) != 0) { for (uint k = 0; k < (y & 7u); ++k) sum += subgroupBallot(true).x; }\n"
     "put(sum); put(subgroupBallot(sum > 3u).x);"},
};

} // namespace lanewise::test
