// What an invocation reads back of its own store is still an access, which the others' stores race with, whatever is
// known of the value.
// RUN: not %lanewise lint %s --rule=shared-memory-race | FileCheck %s
// CHECK: own-store.comp:[[#@LINE+9]]: error: data race on 'scale'
#version 430
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) restrict readonly buffer Scales { float scales[]; };
layout(set = 0, binding = 1) restrict buffer Data { float data[]; };
shared float scale;

void main() {
  scale = scales[gl_WorkGroupID.x]; // and a barrier is missing behind this
  data[gl_GlobalInvocationID.x] *= scale;
}
