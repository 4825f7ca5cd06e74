// A remainder of what may be negative is not taken to have the sign that OpSMod says: drivers differ, and source languages leave it open.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck --allow-empty %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// CHECK-NOT: comparison is always
// CODE: {{= }}OpULessThan{{ }}
// CODE: {{= }}OpSGreaterThanEqual{{ }}
#version 430
layout(local_size_x = 64) in;
layout(binding = 1) writeonly buffer B { uint b[]; };
layout(push_constant) uniform Push { int p; };
void main() {
  uint k = uint(p % 7);
  b[gl_GlobalInvocationID.x] = k < 7u ? 10u : 20u;
  b[gl_GlobalInvocationID.x + 64u] = p % 5 >= 0 ? 10u : 20u;
}
