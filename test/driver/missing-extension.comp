// What a function needs is told in the line that says it: glslang names the extensions in lines of their own.
// RUN: not %lanewise opt %s -o %t.spv 2>&1 | FileCheck %s
// CHECK: missing-extension.comp:[[#@LINE+6]]: error: 'atomicAdd' : required extension not requested: Possible extensions include: GL_NV_shader_atomic_int64, GL_EXT_shader_atomic_int64{{$}}
#version 450
#extension GL_ARB_gpu_shader_int64 : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer Count { uint64_t count; };
void main() {
  atomicAdd(count, uint64_t(1));
}
