// Which rules run, and what makes errors of warnings.
// RUN: %lanewise opt -g %s -o %t.in.spv
// RUN: %lanewise lint %t.in.spv | FileCheck %s
// CHECK: warning: {{[0-9]+}}-way bank conflict
// CHECK: 1 warning
// RUN: %lanewise lint %t.in.spv --disable=shared-memory-bank-conflict | count 0
// RUN: %lanewise lint %t.in.spv --rule=shared-memory-race,redundant-barrier | count 0
// RUN: %lanewise lint %t.in.spv --disable=all --enable=shared-memory-bank-conflict | FileCheck %s
// RUN: not %lanewise lint %t.in.spv --werror | FileCheck %s --check-prefix=ERROR
// ERROR: error: {{[0-9]+}}-way bank conflict
// ERROR: 1 error
// RUN: %lanewise lint --help | FileCheck %s --check-prefix=HELP
// HELP: --werror
// HELP: barrier-in-divergent-control-flow {{ *}}error: a barrier
// HELP: divergent-branch {{ *}}warning:
//
// Several inputs are one report; one that cannot be read does not keep the others from it.
// RUN: %lanewise lint %t.in.spv %t.in.spv | FileCheck %s --check-prefix=TWICE
// TWICE: 2 warnings
// RUN: not %lanewise lint %t.in.spv %t.missing.comp 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING-DAG: missing.comp
// MISSING-DAG: 1 warning
#version 430
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) restrict buffer Data { float data[]; };
shared float tile[1024];

void main() {
  uint lid = gl_LocalInvocationID.x;
  for (uint n = 0; n < 32; ++n) tile[n * 32 + lid] = data[n * 32 + lid];
  barrier();
  float sum = 0;
  for (uint n = 0; n < 32; ++n) sum += tile[lid * 32 + n];
  data[lid] = sum;
}
