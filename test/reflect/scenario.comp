// A scenario as it is written: constants with types and defaults, headers and push constants member by member, descriptor
// arrays element by element; and it runs, from another folder and as the program's own.
// RUN: rm -rf %t && mkdir %t && cp %s %t/tile.comp && cd %t
// RUN: %lanewise reflect --scenario tile.comp > here.toml && FileCheck %s < here.toml
//      CHECK: # Made of what tile.comp declares
//      CHECK: {{\[\[}}shader]]
// CHECK-NEXT: name = "main"
// CHECK-NEXT: file = "tile.comp"
// CHECK-NEXT: [shader.spec_constants]
// CHECK-NEXT: 0 = 64 # uint, x of the workgroup's size; default 1
// CHECK-NEXT: 1 = 0.5 # float scale
// CHECK-NEXT: 2 = -3 # int bias
// CHECK-NEXT: 3 = 1 # bool isFast
// CHECK-NEXT: 4 = { type = "f64", value = 0.1 } # double wide
// CHECK-NEXT: 5 = 2.0 # float two
//      CHECK: # Binding 0.0, storage buffer, readonly: elements are cells. Fill in: how many and what they hold.
// CHECK-NEXT: {{\[\[}}buffer]]
// CHECK-NEXT: name = "Cells"
// CHECK-NEXT: type = "f32x4"
// CHECK-NEXT: count = 65536
// CHECK-NEXT: header = [
// CHECK-NEXT:   { type = "u32", value = {{[0-9]+}} }, # uint count
// CHECK-NEXT:   { type = "u32x3", value = [0, 0, 0] },
// CHECK-NEXT: ]
// CHECK-NEXT: init = { kind = "random", low = -1, high = 1 }
//      CHECK: # Binding 0.1, storage image. Fill in: its size and what it holds.
//      CHECK: {{\[\[}}image]]
// CHECK-NEXT: name = "photos[0]"
// CHECK-NEXT: format = "r32f"
//      CHECK: # Binding 1.0, uniform buffer. Fill in: the values of its header
//      CHECK: kind = "uniform"
// CHECK-NEXT: header = [
// CHECK-NEXT:   { type = "f32x2", value = [{{.*}}] }, # mat2 turn
// CHECK-NEXT:   { type = "u32x2", value = [0, 0] },
// CHECK-NEXT:   { type = "f32x2", value = [{{.*}}] },
// CHECK-NEXT:   { type = "u32x2", value = [0, 0] },
// CHECK-NEXT:   { type = "i32", value = {{[0-9]+}} }, # int lanes
//      CHECK: # Fill in: how many workgroups of 64x1x1 invocations.
// CHECK-NEXT: {{\[\[}}dispatch]]
// CHECK-NEXT: shader = "main"
// CHECK-NEXT: groups = [4, 1, 1]
// CHECK-NEXT: push_constants = [
// CHECK-NEXT:   { type = "f32x2", value = [{{.*}}], offset = 8 }, # vec2 corner
// CHECK-NEXT:   { type = "u32", value = {{[0-9]+}} }, # uint row
// CHECK-NEXT: ]
// CHECK-NEXT: [dispatch.bind]
// CHECK-NEXT: 0 = "Cells"
// CHECK-NEXT: 1 = [
// CHECK-NEXT:   "photos[0]",
// CHECK-NEXT:   "photos[1]",
// CHECK-NEXT: ]
// CHECK-NEXT: "1.0" = "View"
// RUN: %lanewise verify tile.comp tile.comp --scenario=here.toml --device=interpreter --no-timing | FileCheck %s --check-prefix=RUNS
// RUNS: outputs equal
// RUN: %lanewise profile here.toml | FileCheck %s --check-prefix=PROFILE
// PROFILE: shader main: 4 workgroups of 64x1x1 in 1 dispatch
//
// -o may lie elsewhere: the file is named from there. Macros come along.
// RUN: mkdir sub && %lanewise reflect --scenario -D WIDE=1 tile.comp -o sub/wide.toml && FileCheck %s --check-prefix=WIDE < sub/wide.toml
// WIDE: file = "../tile.comp"
// WIDE: [shader.defines]
// WIDE-NEXT: "WIDE" = "1"
// WIDE: type = ["f32x4", "f32x4"]
// RUN: %lanewise profile sub/wide.toml | FileCheck %s --check-prefix=PROFILE
//
// What is given for constants is what the scenario says.
// RUN: %lanewise reflect --scenario --spec-const=0:32 tile.comp | FileCheck %s --check-prefix=GIVEN
// GIVEN: 0 = 32 # uint, x of the workgroup's size; default 1
// GIVEN: workgroups of 32x1x1
#version 430
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const float scale = 0.5;
layout(constant_id = 2) const int bias = -3;
layout(constant_id = 3) const bool isFast = true;
layout(constant_id = 4) const double wide = 0.1;
layout(constant_id = 5) const float two = 2.0;
#ifdef WIDE
struct Cell { vec4 place; vec4 more; };
#else
struct Cell { vec4 place; };
#endif
layout(binding = 0, std430) readonly buffer Cells { uint count; Cell cells[]; };
layout(binding = 1, r32f) uniform image2D photos[2];
layout(set = 1, binding = 0, std140) uniform View { mat2 turn; int lanes; };
layout(push_constant) uniform Push { layout(offset = 8) vec2 corner; uint row; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= count) return;
  vec2 place = turn * cells[i].place.xy * scale + corner;
  if (isFast && row > 0) imageStore(photos[1], ivec2(i, 0), vec4(place.x + float(bias + lanes) + float(wide) * two));
}
