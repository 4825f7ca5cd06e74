// A print stays one where the language has it, with its text escaped; where it has none, a note says so.
// RUN: %lanewise transpile %s --to=glsl --vulkan -o - | FileCheck %s --check-prefix=VULKAN
// RUN: %lanewise transpile %s --to=hlsl --verify --require-verified --device=cpu -o - 2> /dev/null | FileCheck %s --check-prefix=HLSL
// RUN: %lanewise transpile %s --to=msl -o - 2> %t.log | FileCheck %s --check-prefix=NONE
// RUN: FileCheck %s --check-prefix=NOTE --input-file=%t.log
// RUN: %lanewise transpile %s --to=glsl -o - 2> /dev/null | FileCheck %s --check-prefix=NONE
// RUN: %lanewise transpile %s --to=essl -o - 2> /dev/null | FileCheck %s --check-prefix=NONE
// VULKAN: #extension GL_EXT_debug_printf : require
// VULKAN: debugPrintfEXT("first\nsecond \"%u\" \\ %f\t", {{.*}}, 1.5);
// HLSL: void _printf(uint
// HLSL: {{^ +}}printf("first\nsecond \"%u\" \\ %f\t", {{.*}}, 1.5f);
// HLSL: if ({{.*}} == 7u)
// HLSL-NEXT: {
// HLSL-NEXT: {{^ +}}printf("seven");
// HLSL: _printf(
// NONE-NOT: first
// NONE: printf{{ ?[(]}}
// NONE-NOT: first
// NOTE: note: debugPrintfEXT is left out: MSL 2.1 for macOS has none [transpile:debug-printf]
#version 450
#extension GL_EXT_debug_printf : enable
layout(local_size_x = 8) in;
layout(binding = 0) buffer Data { uint values[]; };
void printf(uint at) { values[at] *= 3; }
void main() {
  const uint at = gl_GlobalInvocationID.x;
  debugPrintfEXT("first\nsecond \"%u\" \\ %f\t", values[at], 1.5);
  if (values[at] == 7) debugPrintfEXT("seven");
  printf(at);
}
