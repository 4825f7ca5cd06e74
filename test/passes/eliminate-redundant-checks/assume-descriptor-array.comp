// An array of descriptors goes by the name of its variable, of its block and by its binding, for verification as well.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks %t.in.spv -o %t.block.spv '--assume=buffer Block.length < 100' 2>&1 | FileCheck %s
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks %t.in.spv -o %t.variable.spv '--assume=buffer array.length < 100' 2>&1 | FileCheck %s
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks %t.in.spv -o %t.place.spv '--assume=buffer 0.2.length < 100' 2>&1 | FileCheck %s
// RUN: cmp %t.block.spv %t.variable.spv && cmp %t.block.spv %t.place.spv
// RUN: spirv-val --target-env vulkan1.2 %t.block.spv
// CHECK: assumed buffer {{.*}}.length < 100
// CHECK-COUNT-2: comparison is always true: one side is 0 to 99, the other 100 [eliminate-redundant-checks:removed]
// Neither of the names is unknown to verification, and lengths of 200 agree with none.
// RUN: %lanewise verify %t.in.spv %t.block.spv --device=interpreter '--assume=buffer Block.length < 100' | FileCheck --check-prefix=EQUAL %s
// EQUAL-NOT: is about no input
// EQUAL: outputs equal
// RUN: not %lanewise verify --scenario=%S/Inputs/assume-descriptor-array.toml %t.in.spv %t.block.spv --device=interpreter '--assume=buffer Block.length < 100' 2>&1 | FileCheck --check-prefix=LENGTH %s
// RUN: not %lanewise verify --scenario=%S/Inputs/assume-descriptor-array.toml %t.in.spv %t.block.spv --device=interpreter '--assume=buffer array.length < 100' 2>&1 | FileCheck --check-prefix=LENGTH %s
// RUN: not %lanewise verify --scenario=%S/Inputs/assume-descriptor-array.toml %t.in.spv %t.block.spv --device=interpreter '--assume=buffer 0.2.length < 100' 2>&1 | FileCheck --check-prefix=LENGTH %s
// LENGTH: --assume='buffer {{.*}}.length < 100' does not hold: the length is 200 in dispatch 1
// A name that two buffers share states nothing of either.
// RUN: %lanewise opt %t.in.spv -S -o - | sed 's/OpName \(.*\) "second"/OpName \1 "Twice"/' > %t.named.spvasm
// RUN: %lanewise opt --remarks=all --eliminate-redundant-checks %t.named.spvasm -o %t.twice.spv '--assume=buffer Twice.length < 100' 2> %t.twice
// RUN: FileCheck --check-prefix=TWICE %s < %t.twice
// RUN: %lanewise verify %t.named.spvasm %t.twice.spv --device=interpreter '--assume=buffer Twice.length < 100' | FileCheck --check-prefix=TWICE %s
// TWICE: --assume='buffer Twice.length < 100' is not used: 'Twice' may mean 0.1, 0.0; write buffer SET.BINDING, where that is one array
// TWICE-NOT: eliminate-redundant-checks:removed
#version 430
layout(local_size_x = 1) in;
layout(binding = 1) buffer Second { uint b[]; } second;
layout(binding = 0) readonly buffer Twice { uint a[]; } first;
layout(binding = 2) readonly buffer Block { uint c[]; } array[3];
void main() {
  second.b[0] = first.a.length() < 100 ? 1u : 0u;
  second.b[1] = second.b.length() < 100 ? 1u : 0u;
  second.b[2] = array[1].c.length() < 100 ? 1u : 0u;
  second.b[3] = array[2].c.length() < 100 ? 1u : 0u;
}
