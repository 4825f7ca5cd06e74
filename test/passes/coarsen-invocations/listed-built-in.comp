// A built-in that the interface lists and only dead code names must not be declared once more
// (VUID-StandaloneSpirv-OpEntryPoint-09658).
// RUN: %lanewise opt -O --coarsen-invocations=2,1,1 --remarks=applied -S %s -o %t.spvasm 2>&1 | FileCheck --check-prefix=REMARK %s
// REMARK: [coarsen-invocations:coarsened]
// RUN: FileCheck %s < %t.spvasm
// CHECK-COUNT-1: BuiltIn LocalInvocationId
// CHECK-NOT: BuiltIn LocalInvocationId
// RUN: grep -c "BuiltIn WorkgroupId" %t.spvasm | FileCheck --check-prefix=ONE %s
// ONE: {{^}}1{{$}}
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { uint values[]; };
uint unused() { return gl_LocalInvocationID.x + gl_WorkGroupID.x; }
void main() {
  const uint at = gl_GlobalInvocationID.x;
  uint sum = 0;
  if (false) sum = unused();
  values[at] = at * 2 + sum;
}
