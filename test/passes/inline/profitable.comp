// --inline=profitable, which -O takes, leaves functions to compilers that return from inside a loop or a switch: they need not keep
// SPIR-V's constructs. Where lanes meet in such a function (Workgroup memory, a barrier, a pointer to a buffer) the passes have to see it.
// RUN: %lanewise opt --inline=profitable --remarks=all %s -S -o - 2> %t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=WHY < %t.err
// RUN: %lanewise opt --inline=profitable %s -o %t.spv && spirv-val --target-env vulkan1.2 %t.spv
// RUN: %lanewise opt --inline %s -S -o - | FileCheck %s --check-prefix=ALL
// RUN: %lanewise opt -O --remarks=all %s -o %t.O.spv 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: %lanewise verify --device=cpu --no-timing --interpreter-budget=0.2 %s %t.spv %t.O.spv
// REQUIRES: lavapipe
// CHECK-LABEL: OpFunction
// CHECK-COUNT-2: OpFunctionCall
// CHECK-NOT: OpFunctionCall
// CHECK: OpFunctionEnd
// CHECK: %fromSwitch
// CHECK: %fromLoop
// WHY-COUNT-2: call not inlined: the function returns from inside a loop or switch, which compilers inline better themselves [inline:breaking-return]
// WHY-NOT: call not inlined
// ALL-LABEL: OpFunction
// ALL-NOT: OpFunctionCall
// ALL: OpFunctionEnd
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) buffer B { uint b[]; };
shared uint s[64];

uint fromSwitch(uint x) {
  switch (x & 3u) {
  case 0u: return x + 1u;
  case 1u: return x * 3u;
  case 2u: return x ^ 5u;
  }
  return 7u;
}

uint fromLoop(uint x) {
  for (uint i = 0u; i < 8u; ++i)
    if ((x >> i & 1u) == 1u) return i;
  return 9u;
}

// A selection that one way leads out of costs nothing.
uint fromSelection(uint x) {
  if (x > 100u) return 100u;
  return x * 2u;
}

uint ofShared(uint x) {
  for (uint i = 0u; i < 8u; ++i)
    if (s[(x + i) & 63u] > x) return i;
  return 3u;
}

// Calls one in which lanes meet.
uint aroundShared(uint x) {
  switch (x & 1u) {
  case 0u: return ofShared(x);
  }
  return 5u;
}

void main() {
  uint t = gl_LocalInvocationIndex, v = b[gl_GlobalInvocationID.x];
  s[t] = v;
  barrier();
  v += fromSwitch(v);
  v += fromLoop(v);
  v += fromSelection(v);
  v += ofShared(v);
  v += aroundShared(v);
  b[gl_GlobalInvocationID.x] = v;
}
