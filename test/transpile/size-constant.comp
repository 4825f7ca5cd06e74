// A constant that is a dimension of the workgroup is declared by the layout alone: opt takes it out of gl_WorkGroupSize,
// and the text must not.
// RUN: %lanewise opt -O %s -o %t.spv
// RUN: spirv-dis %t.spv | FileCheck --check-prefix=SPIRV %s
// RUN: %lanewise transpile %t.spv --to=glsl --vulkan --verify --device=cpu -o %t.vk.comp 2>&1 | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise transpile %t.spv --to=glsl --verify --device=cpu -o %t.gl.comp 2>&1 | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise transpile %t.spv --to=essl --verify --device=cpu -o %t.es.comp 2>&1 | FileCheck --check-prefix=EQUAL %s
// RUN: FileCheck --check-prefix=GLSL %s < %t.vk.comp
// RUN: spirv-dis %t.spv | sed 's/OpIAdd/OpSRem/' > %t.remainder.spvasm
// RUN: %lanewise transpile %t.remainder.spvasm --to=glsl --vulkan --verify --device=cpu -o %t.remainder.comp 2>&1 | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// SPIRV-DAG: %[[X:[0-9]+]] = OpSpecConstant %uint 32
// SPIRV-DAG: OpIAdd %uint %{{[0-9]+}} %[[X]]
// GLSL: const uint [[X:_[0-9]+]] = gl_WorkGroupSize.x;
// GLSL: + [[X]]
#version 430
layout(local_size_x_id = 3) in;
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { uint data[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  data[i] = data[i] * 5u + gl_WorkGroupSize.x;
}
