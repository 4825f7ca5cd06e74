// GLSL's functions that take a number apart, or put one together, are of unsigned integers.
// RUN: %lanewise opt -O %s -o %t.spv
// RUN: spirv-dis %t.spv | FileCheck --check-prefix=SPIRV %s
// RUN: %lanewise transpile %t.spv --to=glsl --vulkan --verify --device=cpu -o %t.out.comp 2>&1 | FileCheck --check-prefix=EQUAL %s
// RUN: FileCheck --check-prefix=GLSL %s < %t.out.comp
// EQUAL: outputs equal
// SPIRV: %long = OpTypeInt 64 1
// SPIRV: OpBitcast %v2uint %{{[0-9]+}}
// GLSL: unpackUint2x32(uint64_t(
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { ivec2 data[]; };
layout(binding = 1) buffer Out { uvec2 o[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  int64_t product = int64_t(data[i].x) * int64_t(data[i].y);
  o[i] = unpackUint2x32(uint64_t(product));
}
