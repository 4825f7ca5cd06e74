// What SPIRV-Cross writes of 8-bit and 16-bit integers: shifts by others, and in HLSL signs and constants.
// RUN: %lanewise transpile %s --to=glsl --vulkan --verify --device=cpu -o %t.out.comp 2>&1 | FileCheck %s
// RUN: FileCheck --check-prefix=GLSL %s < %t.out.comp
// RUN: grep -v 'not HLSL' %s > %t.comp && %lanewise transpile %t.comp --to=hlsl --shader-model=6.2 -o %t.hlsl
// RUN: FileCheck --check-prefix=HLSL %s < %t.hlsl
// CHECK: outputs equal
// CHECK: further inputs: 3 tried
// GLSL: int8_t(uint8_t(
// HLSL: uint16_t [[A:_[0-9]+]] = uint16_t(int({{.*}}.Load<int16_t>({{.*}})));
// HLSL-NEXT: asuint(float([[A]]))
// HLSL: uint16_t [[B:_[0-9]+]] = uint16_t(int({{.*}}.Load<int16_t>({{.*}})));
// HLSL-NEXT: uint([[B]] >> uint16_t(k))
// HLSL: .Load<uint16_t>({{.*}}) + uint16_t(60000u))
// HLSL: .Load<uint16_t>({{.*}}) << uint16_t(3u))
// HLSL: int16_t [[C:_[0-9]+]] = int16_t(uint({{.*}}.Load<uint16_t>({{.*}})));
// HLSL-NEXT: uint(int([[C]]))
// HLSL: uint16_t2 [[D:_[0-9]+]] = {{.*}}int2({{.*}}Load<int16_t2>(
// HLSL-NEXT: uint([[D]].x) | (uint([[D]].y) << 16u)
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer S { int16_t s[]; };
layout(binding = 1) buffer U { uint16_t u[]; };
layout(binding = 2) buffer V { i16vec2 v[]; };
layout(binding = 3) buffer N { uint n[]; };
layout(binding = 4) buffer O { uint o[]; };
layout(binding = 5) buffer B { int8_t b[]; }; // not HLSL
void main() {
  uint i = gl_GlobalInvocationID.x, k = n[i] & 7;
  o[9 * i] = floatBitsToUint(float(uint16_t(s[i])));
  o[9 * i + 1] = uint(uint16_t(s[i]) >> k);
  o[9 * i + 2] = uint(u[i] + uint16_t(60000));
  o[9 * i + 3] = uint(u[i] << uint16_t(3));
  o[9 * i + 4] = uint(int(int16_t(u[i])));
  o[9 * i + 5] = packUint2x16(u16vec2(v[i]));
  o[9 * i + 6] = uint(b[i] >> k); // not HLSL
}
