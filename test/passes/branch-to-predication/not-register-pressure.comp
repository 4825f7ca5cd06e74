// Seventy values live at the branch: one more would cost a subgroup its place.
// RUN: %lanewise opt --inline-entry-points-exhaustive --ssa-rewrite --eliminate-dead-code-aggressive --target-env=vulkan1.2 --remarks=none -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all --branch-to-predication --target-env=vulkan1.2 -g %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: spirv-dis %t.out.spv | FileCheck --check-prefix=CODE %s
// RUN: spirv-val --target-env vulkan1.2 %t.out.spv
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=interpreter | FileCheck --check-prefix=EQUAL %s
// RUN: %lanewise verify %t.in.spv %t.out.spv --device=cpu --no-timing | FileCheck --check-prefix=EQUAL %s
// EQUAL: outputs equal
// CHECK: missed: kept {{branch|switch}}{{.*}}registers live at the branch{{.*}}[branch-to-predication:register-pressure]
// CODE: {{^ *}}OpBranchConditional
#version 430
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
void main() {
  uint g = gl_GlobalInvocationID.x;

  uint x = a[g], v0 = x * 3u, v1 = x * 5u, v2 = x * 7u, v3 = x * 9u, v4 = x * 11u, v5 = x * 13u, v6 = x * 15u, v7 = x * 17u, v8 = x * 19u, v9 = x * 21u, v10 = x * 23u, v11 = x * 25u, v12 = x * 27u, v13 = x * 29u, v14 = x * 31u, v15 = x * 33u, v16 = x * 35u, v17 = x * 37u, v18 = x * 39u, v19 = x * 41u, v20 = x * 43u, v21 = x * 45u, v22 = x * 47u, v23 = x * 49u, v24 = x * 51u, v25 = x * 53u, v26 = x * 55u, v27 = x * 57u, v28 = x * 59u, v29 = x * 61u, v30 = x * 63u, v31 = x * 65u, v32 = x * 67u, v33 = x * 69u, v34 = x * 71u, v35 = x * 73u, v36 = x * 75u, v37 = x * 77u, v38 = x * 79u, v39 = x * 81u, v40 = x * 83u, v41 = x * 85u, v42 = x * 87u, v43 = x * 89u, v44 = x * 91u, v45 = x * 93u, v46 = x * 95u, v47 = x * 97u, v48 = x * 99u, v49 = x * 101u, v50 = x * 103u, v51 = x * 105u, v52 = x * 107u, v53 = x * 109u, v54 = x * 111u, v55 = x * 113u, v56 = x * 115u, v57 = x * 117u, v58 = x * 119u, v59 = x * 121u, v60 = x * 123u, v61 = x * 125u, v62 = x * 127u, v63 = x * 129u, v64 = x * 131u, v65 = x * 133u, v66 = x * 135u, v67 = x * 137u, v68 = x * 139u, v69 = x * 141u;
  uint y;
  if ((x & 1u) != 0u) y = (x ^ 5u) + v3; else y = (x - 9u) ^ v4;
  b[g] = y + (v0 ^ y) + (v1 ^ y) + (v2 ^ y) + (v3 ^ y) + (v4 ^ y) + (v5 ^ y) + (v6 ^ y) + (v7 ^ y) + (v8 ^ y) + (v9 ^ y) + (v10 ^ y) + (v11 ^ y) + (v12 ^ y) + (v13 ^ y) + (v14 ^ y) + (v15 ^ y) + (v16 ^ y) + (v17 ^ y) + (v18 ^ y) + (v19 ^ y) + (v20 ^ y) + (v21 ^ y) + (v22 ^ y) + (v23 ^ y) + (v24 ^ y) + (v25 ^ y) + (v26 ^ y) + (v27 ^ y) + (v28 ^ y) + (v29 ^ y) + (v30 ^ y) + (v31 ^ y) + (v32 ^ y) + (v33 ^ y) + (v34 ^ y) + (v35 ^ y) + (v36 ^ y) + (v37 ^ y) + (v38 ^ y) + (v39 ^ y) + (v40 ^ y) + (v41 ^ y) + (v42 ^ y) + (v43 ^ y) + (v44 ^ y) + (v45 ^ y) + (v46 ^ y) + (v47 ^ y) + (v48 ^ y) + (v49 ^ y) + (v50 ^ y) + (v51 ^ y) + (v52 ^ y) + (v53 ^ y) + (v54 ^ y) + (v55 ^ y) + (v56 ^ y) + (v57 ^ y) + (v58 ^ y) + (v59 ^ y) + (v60 ^ y) + (v61 ^ y);
}
