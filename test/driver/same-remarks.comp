// Of a line that was inlined several times people read once; programs get each.
// RUN: %lanewise opt %s -O --target=generic -o %t.spv 2>&1 | FileCheck %s --check-prefix=TEXT --implicit-check-not=remark:
// TEXT: same-remarks.comp:[[#@LINE+7]]: remark: flattened branch {{.*}} (3 times) [branch-to-predication:flattened]
// RUN: %lanewise opt %s -O --target=generic --remarks=applied --format=json -o %t.spv 2>&1 | grep -c '"flattened"' | grep -x 3
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { float data[]; };
float bent(float v) {
  float r = v;
  if (v > 0.5) r = v * 3.0 - 1.0;
  return r;
}
void main() {
  float v = data[gl_GlobalInvocationID.x];
  data[gl_GlobalInvocationID.x] = bent(v) + bent(v * v) + bent(v * v * v);
}
