// What the format of an image lacks is read as 0, and the fourth component as 1.
// RUN: %lanewise transpile %s --to=hlsl --verify --device=cpu -o %t.hlsl 2>&1 | FileCheck %s
// RUN: FileCheck --check-prefix=HLSL %s < %t.hlsl
// CHECK: interpreter: no race
// HLSL: = float4(one{{.*}}.x, 0.0f, 0.0f, 1.0f)
// HLSL: = uint4(two{{.*}}.xy, 0u, 1u)
// HLSL-NOT: {{[0-9]+}}.0f
// HLSL: first[
#version 430
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, r32f) uniform readonly image2D one;
layout(binding = 1, rg16ui) uniform readonly uimage2D two;
layout(binding = 2, r32f) uniform readonly image2D first;
layout(binding = 3) buffer Out { vec4 o[]; };
void main() {
  ivec2 p = ivec2(gl_GlobalInvocationID);
  uint i = gl_GlobalInvocationID.y * 32 + gl_GlobalInvocationID.x;
  vec4 a = imageLoad(one, p);
  uvec4 b = imageLoad(two, p);
  o[i] = a * vec4(b);
  o[i + 4096] = vec4(imageLoad(first, p).x);
}
