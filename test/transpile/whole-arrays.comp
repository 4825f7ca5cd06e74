// HLSL: whole arrays of storage buffers, which SPIRV-Cross reads and writes by a loop too many.
// RUN: %lanewise transpile %s --to=hlsl --verify --require-verified --device=interpreter -o - 2> %t.log | FileCheck %s
// RUN: FileCheck %s --check-prefix=VERIFIED --input-file=%t.log
// CHECK: [[B:_[0-9]+]].Store2(0, {{.*}});
// CHECK: [[B]].Store2(8, {{.*}});
// CHECK: [[B]].Store(16, {{.*}});
// VERIFIED: verified
//
// Not of any length.
// RUN: sed 's/\[2\]/[300]/' %s > %t.comp
// RUN: not %lanewise transpile %t.comp --to=hlsl 2>&1 | FileCheck %s --check-prefix=LONG
// LONG: SPIRV-Cross does not write arrays of more than 256 elements that are read from storage buffers as a whole in HLSL
#version 430
layout(local_size_x = 1) in;
struct Item {
  uvec2 pair[2];
  uint one;
};
layout(binding = 0, std430) readonly buffer A { Item a; };
layout(binding = 1, std430) writeonly buffer B { Item b; };
void main() { b = a; }
