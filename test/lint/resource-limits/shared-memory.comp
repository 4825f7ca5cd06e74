// 48 KB are more than most mobile GPUs have, and all that NVIDIA's driver gives.
// RUN: not %lanewise lint %s --rule=resource-limits --target=mali | FileCheck %s
// CHECK: shared-memory.comp:[[#]]:{{.*}} error: 49152 bytes of shared memory exceed the 32768 of mali
// RUN: %lanewise lint %s --rule=resource-limits --target=nvidia | count 0
// The generic target is no GPU.
// RUN: %lanewise lint %s --rule=resource-limits | count 0
//
// opt says the same of what it writes.
// RUN: %lanewise opt %s -O --target=mali -o %t.spv 2>&1 | FileCheck %s --check-prefix=OPT
// OPT: warning: 49152 bytes of shared memory exceed the 32768 of mali [target:exceeds-shared-memory]
// RUN: %lanewise opt %s -O --target=nvidia -o %t.spv 2>&1 | FileCheck %s --check-prefix=FITS --allow-empty
// FITS-NOT: exceed
#version 430
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) buffer Data { float data[]; };
shared float tile[12288];

void main() {
  uint lid = gl_LocalInvocationIndex;
  for (uint n = lid; n < 12288; n += 256) tile[n] = data[n];
  barrier();
  data[gl_GlobalInvocationID.x] = tile[12287 - lid];
}
