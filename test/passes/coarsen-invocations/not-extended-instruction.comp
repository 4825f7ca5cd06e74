// An instruction of a set that is not known is named by its number and its set.
// RUN: %lanewise opt -O --coarsen-invocations=2,1,1 --remarks=all %s -o /dev/null 2>&1 | FileCheck %s
// CHECK: missed: {{.*}}nobody has written down what extended instruction 4 of 'SPV_AMD_shader_ballot' does [coarsen-invocations:unknown-effects]
#version 450
#extension GL_AMD_shader_ballot : require
#extension GL_ARB_gpu_shader_int64 : require
layout(local_size_x = 64) in;
layout(binding = 0) buffer B { uint b[]; };
void main() { b[gl_LocalInvocationIndex] = mbcntAMD(packUint2x32(uvec2(0xffffffffu))); }
