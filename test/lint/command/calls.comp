// A function that says so is not inlined, and what it does with the memory of others is not seen.
// RUN: %lanewise opt -g %s -S -o %t.in.spvasm && sed 's/OpFunction %%float None/OpFunction %%float DontInline/' %t.in.spvasm > %t.spvasm
// RUN: %lanewise lint %t.spvasm 2>&1 | FileCheck %s
// CHECK: warning: some calls were not inlined, and problems may be missed in the functions that they call
// RUN: not %lanewise lint %s 2>&1 | FileCheck %s --check-prefix=INLINED --implicit-check-not=inlined
// INLINED: data race
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { float data[]; };
shared float s[64];
float neighbour(float x) {
  s[gl_LocalInvocationIndex] = x;
  return s[gl_LocalInvocationIndex ^ 1];
}
void main() { data[gl_GlobalInvocationID.x] = neighbour(data[gl_LocalInvocationIndex]); }
