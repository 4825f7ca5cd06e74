// What a ray query does nobody has written down.
// RUN: %lanewise opt --inline --sroa --mem2reg --gvn --remarks=none --target-env=vulkan1.2 %s -o %t.in.spv
// RUN: %lanewise opt --coarsen-invocations=2,1,1 --remarks=all --target-env=vulkan1.2 %t.in.spv -o %t.out.spv 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: cmp %t.in.spv %t.out.spv
// CHECK: missed: {{.*}}workgroup kept: nobody has written down what OpRayQueryInitializeKHR does [coarsen-invocations:unknown-effects]
#version 460
#extension GL_EXT_ray_query : require
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
layout(binding = 2) uniform accelerationStructureEXT scene;
void main() {
  rayQueryEXT q;
  rayQueryInitializeEXT(q, scene, 0u, 255u, vec3(0.0), 0.0, vec3(1.0), 9.0);
  b[gl_GlobalInvocationID.x] = rayQueryProceedEXT(q) ? a[0] : 1u;
}
