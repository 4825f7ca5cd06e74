// --inline=small: what is called once goes, and so does what is no longer than a call; the rest stays.
// RUN: %lanewise opt --inline=small --remarks=all %s -S -o - 2> %t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.err
// REMARK: missed: call not inlined: the module would become larger (2 times) [inline:not-smaller]
// REMARK-NOT: not-smaller
// CHECK: %main = OpFunction
// CHECK-NOT: OpFunctionCall %float %once
// CHECK-COUNT-2: OpFunctionCall %float %long
// CHECK-NOT: OpFunctionCall %
// CHECK: OpFunctionEnd
#version 430
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Data { float v[]; };
float tiny() { return 1.0; }
float once(float x) { return sin(x) * cos(x) + tan(x) * exp(x) - log(x) / sqrt(x); }
float longer(float x) { return sin(x) * cos(x) + tan(x) * exp(x) - log(x) / sqrt(x) + atan(x); }
void main() { v[0] = once(v[0]) + tiny() + tiny() + longer(v[1]) + longer(v[2]); }
