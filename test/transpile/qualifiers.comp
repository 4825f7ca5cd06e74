// What one member is, its buffer is: the languages' texts have these qualifiers of whole buffers alone.
// RUN: %lanewise transpile %s --to=glsl --vulkan | FileCheck %s --check-prefix=GLSL
// RUN: %lanewise transpile %s --to=essl --essl-version=320 | FileCheck %s --check-prefix=GLSL
// RUN: %lanewise transpile %s --to=hlsl | FileCheck %s --check-prefix=HLSL
// GLSL-DAG: layout({{.*}}binding = 0, std430) coherent buffer A
// GLSL-DAG: layout({{.*}}binding = 1, std430) buffer C
// HLSL-DAG: globallycoherent RWByteAddressBuffer {{.*}}register(u0
// HLSL-DAG: {{^}}RWByteAddressBuffer {{.*}}register(u1
// RUN: sed 's/coherent/volatile/' %s > %t.comp
// RUN: %lanewise transpile %t.comp --to=glsl | FileCheck %s --check-prefix=VOLATILE
// VOLATILE: layout({{.*}}binding = 0, std430) coherent volatile buffer A
#version 430
layout(local_size_x = 1) in;
layout(binding = 0) buffer A { uint a; coherent uint b; };
layout(binding = 1) buffer C { uint c; };
void main() { c = a + b; b = c; }
