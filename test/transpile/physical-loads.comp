// What was loaded through a physical pointer is not loaded again behind a store to the same place, nor behind a barrier.
// RUN: %lanewise opt -O --target-env=vulkan1.2 --remarks=none %s -o %t.spv
// RUN: %lanewise transpile %t.spv --to=glsl --vulkan | FileCheck %s
// RUN: %lanewise transpile %t.spv --to=msl 2>/dev/null | FileCheck --check-prefix=MSL %s
// CHECK: uint [[OLD:_[0-9]+]] = {{.*}}.v[
// CHECK: .v[{{.*}}] = {{_[0-9]+}};
// CHECK: .b[{{.*}}] = [[OLD]];
// CHECK-NOT: .v[
// MSL: uint [[OLD:_[0-9]+]] = {{.*}}->v[
// MSL: ->v[{{.*}}] = {{_[0-9]+}};
// MSL: .b[{{.*}}] = [[OLD]];
#version 430
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer P { uint v[]; };
layout(push_constant) uniform PP { P p; };
layout(set = 0, binding = 0) buffer B { uint b[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  uint x = p.v[i];
  p.v[i] = x + 1u;
  barrier();
  b[i] = x;
}
