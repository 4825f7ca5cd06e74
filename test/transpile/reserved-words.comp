// Names that are words of the language, or functions that its text calls, are others there.
// RUN: %lanewise transpile %s --to=hlsl --verify --device=cpu -o %t.hlsl 2>&1 | FileCheck %s
// RUN: FileCheck --check-prefix=HLSL %s < %t.hlsl
// RUN: %lanewise transpile %s --to=glsl --verify --device=cpu -o %t.out.comp 2>&1 | FileCheck %s
// RUN: %lanewise transpile %s --to=msl -o - | FileCheck --check-prefix=MSL %s --implicit-check-not='{{ (xor|new|fast|ushort2) [=;]}}'
// The front end knows GLSL for Vulkan, so names that are words only there come from elsewhere.
// RUN: %lanewise transpile %s --to=spvasm -o - | sed 's/"auto"/"sampler"/; s/"lerp(/"texture2D(/; s/"xor"/"main"/; s/"new"/"u8vec4"/; s/"operator"/"uint16_t"/; s/"signed"/"clamp"/' > %t.spvasm
// RUN: spirv-as --target-env vulkan1.2 %t.spvasm -o %t.spv && spirv-val --target-env vulkan1.2 %t.spv
// RUN: %lanewise transpile %t.spv --to=glsl --vulkan --verify --device=cpu -o %t.vk.comp 2>&1 | FileCheck %s
// RUN: FileCheck --check-prefix=GLSL %s < %t.vk.comp
// RUN: %lanewise transpile %t.spv --to=essl --verify --device=cpu -o %t.es.comp 2>&1 | FileCheck %s
// CHECK: outputs equal
// HLSL-DAG: struct _float3
// HLSL-DAG: float _new;
// HLSL-DAG: float _lerp(
// HLSL-DAG: float _frac = frac(
// HLSL-DAG: lerp(_frac, _xor, _auto)
// HLSL-DAG: groupshared float _typename[32];
// MSL-DAG: struct _float3
// MSL-DAG: float _new;
// MSL-DAG: float _operator;
// MSL-DAG: thread {{.*}}_auto{{[,)]}}
// MSL-DAG: threadgroup {{float|spvUnsafeArray<float, 32>}} {{.*}}_typename
// MSL-DAG: = fast::clamp(
// MSL-DAG: _fast = 
// GLSL-DAG: float _u8vec4;
// GLSL-DAG: float _uint16_t;
// GLSL-DAG: float _texture2D(
// GLSL-DAG: float _main = _{{[0-9]+}};
// GLSL-DAG: clamp(
#version 430
layout(local_size_x = 32) in;
struct float3 { float new; float operator; };
layout(std430, binding = 0) buffer catch { float3 try[]; } explicit;
layout(std430, binding = 1) buffer Out { float o[]; };
shared float typename[32];
float lerp(inout float auto, float signed) {
  auto += signed;
  return auto * 0.25;
}
void main() {
  uint i = gl_GlobalInvocationID.x, ushort2 = gl_LocalInvocationID.x;
  float auto = explicit.try[i].new, signed = explicit.try[i].operator;
  typename[ushort2] = signed;
  barrier();
  float fast = clamp(typename[31 - ushort2], 0.5, 2.0);
  float xor = lerp(auto, signed), frac = fract(xor);
  o[i] = mix(frac, xor, auto) + fast * clamp(auto, signed, 3.0);
}
