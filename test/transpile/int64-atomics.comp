// SPIRV-Cross asks for the type's extension alone.
// RUN: %lanewise transpile %s --to=glsl | FileCheck %s
// RUN: %lanewise transpile %s --to=glsl --vulkan | FileCheck %s
// CHECK: #extension GL_EXT_shader_atomic_int64 : require
// CHECK: atomicAdd(
#version 450
#extension GL_EXT_shader_atomic_int64 : enable
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : enable
layout(local_size_x = 8) in;
layout(binding = 0) buffer Data { uint64_t values[]; };
void main() { atomicAdd(values[gl_LocalInvocationID.x % 2], 5ul); }
