// MSL: what is read in front of a call, an atomic or a store to an image is not read behind it.
// RUN: %lanewise transpile %s --to=msl 2> /dev/null | FileCheck %s
// CHECK: kernel void main0(
// CHECK: [[OWN:_[0-9]+]] = own;
// CHECK: [[CALLED:_[0-9]+]] = change(
// CHECK: [[OWN]] + [[CALLED]]
// CHECK: [[SHARED:_[0-9]+]] = tile[
// CHECK: w = [[SHARED]];
// CHECK: atomic_fetch_add_explicit((threadgroup atomic_uint*)&tile[
// CHECK: = w;
// CHECK: [[TEXEL:_[0-9]+]] = {{.*}}.read(
// CHECK: .write(
// CHECK-NOT: .read(
//
// Where nothing changes what was read, expressions stay what they were.
// RUN: sed -e '/atomicAdd/d' -e '/imageStore/d' -e 's/ + change(l)//' %s > %t.comp
// RUN: %lanewise transpile %t.comp --to=msl 2> /dev/null | FileCheck %s --check-prefix=PLAIN
// PLAIN: [l + 16u] = texel;
#version 430
layout(local_size_x = 8) in;
layout(binding = 0) writeonly buffer Out { uint o[]; };
layout(binding = 1, r32ui) uniform uimage2D image;
shared uint tile[8];
uint own;
uint change(uint by) {
  own += by;
  return own;
}
void main() {
  uint l = gl_LocalInvocationIndex;
  own = l;
  tile[l] = l;
  o[l] = own + change(l);
  uint w = tile[l];
  atomicAdd(tile[l], 1u);
  o[l + 8] = w;
  uint texel = imageLoad(image, ivec2(l, 0)).x;
  imageStore(image, ivec2(l, 0), uvec4(3));
  o[l + 16] = texel;
}
