#version 430
// Who debugs sees what the variables hold: at each store and each phi, part by part.
//
// RUN: glslangValidator -gVS -V --target-env vulkan1.2 %s -o %t.spv > %t.log
// RUN: %lanewise opt %t.spv --sroa --mem2reg -S -o - | FileCheck %s
// CHECK:      {{^ *%main = OpFunction}}
// CHECK-NOT:  DebugDeclare %
// CHECK:      DebugValue %{{[^ ]+}} %{{[^ ]+}} [[NONE:%[^ ]+]]
// CHECK:      [[V:%[^ ]+]] = OpLoad %uint %{{[^ ]+}}
// CHECK:      DebugValue [[LOCAL_V:%[^ ]+]] [[V]] [[NONE]]
// CHECK:      DebugValue [[LOCAL_S:%[^ ]+]] [[V]] [[NONE]] %uint_0
// CHECK:      OpSelectionMerge
// CHECK:      [[PRODUCT:%[^ ]+]] = OpIMul
// CHECK:      DebugValue [[LOCAL_V]] [[PRODUCT]] [[NONE]]
// CHECK:      [[PHI:%[^ ]+]] = OpPhi %uint
// CHECK:      DebugScope
// CHECK:      DebugValue [[LOCAL_V]] [[PHI]] [[NONE]]
// CHECK-NOT:  DebugDeclare %
layout(local_size_x = 32) in;
layout(binding = 0) buffer B { uint b[]; };
struct S {
  uint m;
  uvec2 k;
};
void main() {
  uint g = gl_GlobalInvocationID.x;
  uint v = b[g];
  S s;
  s.m = v;
  s.k = uvec2(g, 3u);
  if (v > 4u) v = v * 3u;
  b[g] = v + s.k.y + s.m;
}
