// A bitonic sort: what a map of indices saves its banks is about what its arithmetic costs, so that auto leaves it alone. Who asks
// for padding gets the map that saves the banks most, and `tune` times it.
// RUN: %lanewise opt -g %s -o %t.in.spv
// RUN: %lanewise opt -O --target=nvidia --remarks=all %t.in.spv -o %t.spv 2>&1 | FileCheck %s --check-prefix=AUTO
// AUTO: missed: did not pad 'keys[512]': no layout makes its accesses cheaper, its own arithmetic counted
// RUN: %lanewise opt -O --pad-shared-memory=pad --target=nvidia --verify --device=cpu --no-timing %t.in.spv -o %t.pad.spv 2>&1 | FileCheck %s --check-prefix=PAD
// PAD: padded 'keys' from [512] to [512] with a gap of 1 after every 32: conflict degree 2 -> 2, 60 more bytes
// PAD: outputs equal
// RUN: %lanewise opt -O --pad-shared-memory=swizzle --target=nvidia --verify --device=cpu --no-timing %t.in.spv -o %t.swizzle.spv 2>&1 | FileCheck %s --check-prefix=SWIZZLE
// SWIZZLE: swizzled 'keys' from [512] to [512] with index i at i ^ (i >> 5 & 1)
// SWIZZLE: outputs equal
#version 430
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
shared uint keys[512];

void main() {
  uint t = gl_LocalInvocationIndex, first = gl_WorkGroupID.x * 512;
  keys[t] = data[first + t];
  keys[t + 256] = data[first + t + 256];
  for (uint size = 2; size <= 512; size <<= 1)
    for (uint stride = size >> 1; stride > 0; stride >>= 1) {
      barrier();
      uint low = 2 * t - (t & (stride - 1)), high = low + stride;
      uint a = keys[low], b = keys[high];
      if ((a > b) == ((low & size) == 0)) {
        keys[low] = b;
        keys[high] = a;
      }
    }
  barrier();
  data[first + t] = keys[t];
  data[first + t + 256] = keys[t + 256];
}
