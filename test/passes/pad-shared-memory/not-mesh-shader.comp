// A mesh shader's payload and outputs count against the limit of its shared memory, and nobody knows how much they take:
// no array grows, and a swizzle takes its place.
// RUN: %lanewise opt -x mesh --ssa-rewrite --pad-shared-memory %s -S -o %t.spvasm 2> %t.err && FileCheck %s < %t.err
// CHECK: swizzled 'tile' {{.*}} 0 more bytes
// RUN: %lanewise opt -x mesh --ssa-rewrite --pad-shared-memory=pad %s -o %t.spv --remarks=all 2>&1 | FileCheck %s --check-prefix=PAD
// PAD-NOT: padded
// PAD: missed: {{.*}} more Workgroup memory, against which a task or mesh shader's payload and outputs count as well [pad-shared-memory:no-room]
// RUN: spirv-val --target-env vulkan1.2 %t.spv
// The same code in a compute shader is padded.
// RUN: sed -e 's/^layout(triangles.*//' -e '/Mesh/d' -e '/^.extension/d' %s > %t.comp && %lanewise opt --ssa-rewrite --pad-shared-memory=pad %t.comp -o %t.spv 2>&1 | FileCheck %s --check-prefix=COMPUTE
// COMPUTE: padded 'tile' from [32][32] to [32][33]
#version 460
#extension GL_EXT_mesh_shader : require
layout(local_size_x = 32) in;
layout(triangles, max_vertices = 3, max_primitives = 1) out;
layout(binding = 0) buffer Data { float data[]; };
shared float tile[32][32];

void main() {
  uint lane = gl_LocalInvocationIndex;
  for (uint n = 0; n < 32; ++n) tile[n][lane] = data[n * 32 + lane];
  barrier();
  float sum = 0;
  for (uint n = 0; n < 32; ++n) sum += tile[lane][n];
  data[lane] = sum;
  SetMeshOutputsEXT(0, 0);
}
