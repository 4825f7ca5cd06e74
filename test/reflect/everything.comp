// Each kind of binding, layout and constant that a compute shader of GLSL can declare, as text.
// RUN: %lanewise reflect --target-env=vulkan1.2 %s | FileCheck %s --match-full-lines --strict-whitespace
// RUN: cd %S && %lanewise reflect --target-env=vulkan1.2 everything.comp > %t.txt && awk 'length > 80' %t.txt | count 0
// --spec-const changes what the lengths come to, never what a default is; --workgroup-size the size alone.
// RUN: %lanewise reflect --target-env=vulkan1.2 --spec-const=5:100 --workgroup-size=32,9,2 %s | FileCheck %s --check-prefix=GIVEN
// GIVEN: uint extent = 16
// GIVEN: workgroup size 32 x 4 x 2 (x by specialization constant 0, z by
// GIVEN: uint[100] n (stride 4, [100] by specialization constant 5)
// GIVEN: shared memory: 1604 bytes
#version 460
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_ray_query : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x_id = 0, local_size_y = 4, local_size_z_id = 7) in;
layout(constant_id = 1) const float scale = 0.1;
layout(constant_id = 2) const int bias = -3;
layout(constant_id = 4) const bool isFast = true;
layout(constant_id = 5) const uint extent = 16;
layout(constant_id = 6) const uint64_t huge = 0xffffffffffffffffUL;
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node { Node next; vec3 value; };
struct Cell { mat3 turn; float weights[4]; };
layout(set = 0, binding = 0, std430) readonly buffer Cells { uint count; float16_t half_; Cell cells[]; } cells;
layout(set = 0, binding = 1, std140) uniform Camera { mat4 view; float fade[3]; Node head; } camera;
layout(set = 1, binding = 0) uniform sampler2D textures[];
layout(set = 1, binding = 1) uniform texture2DArray layers[3];
layout(set = 1, binding = 2) uniform sampler linear;
layout(set = 1, binding = 3, rgba16f) writeonly coherent uniform image3D volume;
layout(set = 1, binding = 4) uniform samplerBuffer texels;
layout(set = 1, binding = 5, r32ui) volatile uniform uimageBuffer counts;
layout(set = 1, binding = 6) uniform accelerationStructureEXT scene;
layout(set = 2, binding = 0) buffer Grid { float field[2][3]; layout(row_major) mat2x4 small; uint n[extent]; } grids[4];
layout(push_constant) uniform Push { layout(offset = 16) vec3 origin; uint which; Node root; } push;
shared vec3 tile[extent];
shared uint flags;
void main() {
  uint i = gl_GlobalInvocationID.x;
  rayQueryEXT q; rayQueryInitializeEXT(q, scene, 0u, 1u, vec3(0), 0.0, vec3(1), 1.0);
  tile[0] = push.origin; flags = uint(huge);
  vec4 c = texture(textures[nonuniformEXT(push.which)], vec2(0)) + texture(sampler2DArray(layers[1], linear), vec3(0)) * scale + texelFetch(texels, bias);
  imageStore(volume, ivec3(0), c + cells.cells[i].turn[0].xyzz+ float(cells.half_));
  imageAtomicAdd(counts, 0, cells.count);
  grids[push.which].field[1][2] = camera.fade[2] + camera.head.value.x + push.root.value.x + float(isFast) + camera.view[0].x;
}
//      CHECK:  capabilities: Shader, Int64, SampledBuffer, ImageBuffer,
// CHECK-NEXT:      StorageBuffer16BitAccess, RayQueryKHR, ShaderNonUniform,
// CHECK-NEXT:      RuntimeDescriptorArray, SampledImageArrayNonUniformIndexing,
// CHECK-NEXT:      PhysicalStorageBufferAddresses
// CHECK-NEXT:  extensions: SPV_KHR_ray_query
// CHECK-NEXT:  extended instructions: GLSL.std.450
// CHECK-NEXT:  specialization constants
// CHECK-NEXT:      0  uint = 1
// CHECK-NEXT:      1  float scale = 0.1
// CHECK-NEXT:      2  int bias = -3
// CHECK-NEXT:      4  bool isFast = true
// CHECK-NEXT:      5  uint extent = 16
// CHECK-NEXT:      6  uint64_t huge = 18446744073709551615
// CHECK-NEXT:      7  uint = 1
// CHECK-NEXT:  compute entry point main
// CHECK-NEXT:    workgroup size 1 x 4 x 1 (x by specialization constant 0, z by
// CHECK-NEXT:        specialization constant 7)
// CHECK-NEXT:    built-in inputs: GlobalInvocationId
// CHECK-NEXT:    bindings
// CHECK-NEXT:      0.0   storage buffer cells (readonly)
// CHECK-NEXT:            16 bytes, then 64 bytes for each element
// CHECK-NEXT:                0  uint count (readonly)
// CHECK-NEXT:                4  float16_t half_ (readonly)
// CHECK-NEXT:               16  Cell[] cells (stride 64, readonly)
// CHECK-NEXT:                      0  mat3 turn (column-major, matrix stride 16)
// CHECK-NEXT:                     48  float[4] weights (stride 4)
// CHECK-NEXT:      0.1   uniform buffer camera
// CHECK-NEXT:            120 bytes
// CHECK-NEXT:                0  mat4 view (column-major, matrix stride 16)
// CHECK-NEXT:               64  float[3] fade (stride 16)
// CHECK-NEXT:              112  Node* head
// CHECK-NEXT:                      0  Node* next
// CHECK-NEXT:                        members of Node: see above
// CHECK-NEXT:                     16  vec3 value
// CHECK-NEXT:      1.0   combined image sampler textures[]: sampler2D
// CHECK-NEXT:      1.1   sampled image layers[3]: texture2DArray
// CHECK-NEXT:      1.2   sampler linear: sampler
// CHECK-NEXT:      1.3   storage image volume: image3D (rgba16f, writeonly, coherent)
// CHECK-NEXT:      1.4   uniform texel buffer texels: samplerBuffer
// CHECK-NEXT:      1.5   storage texel buffer counts: uimageBuffer (r32ui, coherent,
// CHECK-NEXT:          volatile)
// CHECK-NEXT:      1.6   acceleration structure scene: accelerationStructure
// CHECK-NEXT:      2.0   storage buffer grids[4]
// CHECK-NEXT:            120 bytes
// CHECK-NEXT:                0  float[2][3] field (stride 12, 4)
// CHECK-NEXT:               24  mat2x4 small (row-major, matrix stride 8)
// CHECK-NEXT:               56  uint[16] n (stride 4, [16] by specialization constant 5)
// CHECK-NEXT:    push constants push
// CHECK-NEXT:      40 bytes
// CHECK-NEXT:         16  vec3 origin
// CHECK-NEXT:         28  uint which
// CHECK-NEXT:         32  Node* root
// CHECK-NEXT:            members of Node: see above
// CHECK-NEXT:    shared memory: 260 bytes
// CHECK-NEXT:      vec3[16] tile: 256 bytes ([16] by specialization constant 5)
// CHECK-NEXT:      uint flags: 4 bytes
