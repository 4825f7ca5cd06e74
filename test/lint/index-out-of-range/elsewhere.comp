// Arrays of functions, of blocks, of push constants, of descriptors and constant ones, by the name of the member; in
// buffers what is beyond the end is a warning, since robust access goes by the end of the buffer.
// RUN: not %lanewise lint %s --rule=index-out-of-range | FileCheck %s
// CHECK: elsewhere.comp:[[#AT:]]: error: index 4 is out of range: 'own' has 4 elements
// CHECK: elsewhere.comp:[[#AT+2]]: warning: index 16 is out of range: 'weights' has 16 elements
// CHECK: elsewhere.comp:[[#AT+3]]: error: index 4 is out of range: 'scale' has 4 elements
// CHECK: elsewhere.comp:[[#AT+4]]: error: index 4 is out of range: 'images' has 4 elements
// CHECK: elsewhere.comp:[[#AT+5]]: error: index 5 is out of range: a constant array has 5 elements
// CHECK: elsewhere.comp:[[#AT+6]]: warning: index 3 is out of range: 'parts' has 3 elements
// CHECK: elsewhere.comp:[[#AT+7]]: error: index 3 is out of range for invocation (3, 0, 0): a part of 'turn' has 3 components
// CHECK: elsewhere.comp:[[#AT+8]]: warning: index 2 is out of range for invocation (0, 0, 0): a row of 'grid' has 2 elements
// CHECK: elsewhere.comp:[[#AT+9]]: warning: index 64 is out of range for invocation (63, 0, 0): 'data' has 64 elements
// CHECK-NEXT:   data[t + 1u] = sum;
// CHECK-NEXT:   ^~~~
// CHECK: 4 warnings and 5 errors
#version 450
layout(local_size_x = 64) in;
struct Item { float parts[3]; vec2 rest; };
layout(set = 0, binding = 0) buffer Data { float data[64]; float grid[2][2]; };
layout(set = 0, binding = 1) uniform Weights { vec4 weights[16]; mat3 turn; } w;
layout(set = 0, binding = 2) uniform sampler2D images[4];
layout(set = 0, binding = 3) buffer Items { Item items[]; };
layout(push_constant) uniform Push { float scale[4]; };
const float table[5] = float[5](1.0, 2.0, 3.0, 4.0, 5.0);

void main() {
  uint t = gl_LocalInvocationID.x;
  float own[4];
  for (int n = 0; n <= 4; ++n) own[n] = data[t] + float(n);
  float sum = own[t & 3u];
  for (int n = 0; n < 17; ++n) sum += w.weights[n].x;
  for (int n = 0; n <= 4; ++n) sum += scale[n];
  for (int n = 0; n < 5; ++n) sum += textureLod(images[n], vec2(0.5), 0.0).x;
  for (int n = 0; n < 6; ++n) sum += table[n];
  for (int n = 0; n < 4; ++n) sum += items[t].parts[n];
  sum += w.turn[t & 3u].x;
  sum += grid[0][2u + (t & 1u)];
  data[t + 1u] = sum;
}
