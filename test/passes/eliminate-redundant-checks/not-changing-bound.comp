// A bound in a uniform block is the same in each iteration; not where the block may be another name of what the loop writes, or may
// change by itself.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --target-env=vulkan1.2 --remarks=none -S %s -o %t.spvasm
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks %t.spvasm -o %t.out.spv 2>&1 | FileCheck --check-prefix=SAME %s
// RUN: sed 's/OpDecorate \(%[^ ]*\) Binding 1/&\nOpDecorate \1 Aliased/' %t.spvasm > %t.aliased.spvasm
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks %t.aliased.spvasm -o %t.out.spv 2>&1 | FileCheck %s --implicit-check-not='loop guard is'
// RUN: sed 's/OpMemberDecorate %Bound 0 Offset 0/&\nOpMemberDecorate %Bound 0 Volatile/' %t.spvasm > %t.volatile.spvasm
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks %t.volatile.spvasm -o %t.out.spv 2>&1 | FileCheck %s --implicit-check-not='loop guard is'
// RUN: sed 's/OpLoad %uint %\([0-9]*\)$/& Volatile/' %t.spvasm > %t.access.spvasm
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks %t.access.spvasm -o %t.out.spv 2>&1 | FileCheck %s --implicit-check-not='loop guard is'
// RUN: sed 's/OpMemberDecorate %Inner 0 Offset 0/&\nOpMemberDecorate %Inner 0 Volatile/' %t.spvasm > %t.inner.spvasm
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks %t.inner.spvasm -o %t.out.spv 2>&1 | FileCheck %s --implicit-check-not='loop guard is'
// SAME: remark: in 'main': loop guard is always false
// CHECK: missed: in 'main': kept loop guard
#version 430
layout(local_size_x = 8) in;
struct Inner { uint n; };
layout(binding = 0) buffer B { uint b[]; };
layout(binding = 1) uniform Bound { Inner inner; };
void main() {
  uint sum = 0u;
  uvec2 left = uvec2(0xffffffffu);
  for (uint i = 0u;; ++i) {
    if (all(equal(left, uvec2(0u)))) break;
    left -= uvec2(left.y == 0u ? 1u : 0u, 1u);
    if (i >= inner.n) break;
    b[i] = sum++;
  }
}
