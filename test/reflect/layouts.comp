// One struct with two layouts is two structs, and only the first has the name alone; blocks in shared memory begin at one
// place, so the largest counts.
// RUN: %lanewise reflect --target-env=vulkan1.2 %s | FileCheck %s
//      CHECK: 0.0 storage buffer Tight
//      CHECK:   0 Cell[2] cells (stride 8)
// CHECK-NEXT:     0 float[2] value (stride 4)
//      CHECK: 0.1 uniform buffer Roomy
// CHECK-NEXT: 64 bytes
// CHECK-NEXT:   0 Cell.2[2] wide (stride 32)
// CHECK-NEXT:     0 float[2] value (stride 16)
//      CHECK: shared memory: 64 bytes
// CHECK-NEXT:   Large: 64 bytes
// CHECK-NEXT:   Small: 16 bytes
// RUN: %lanewise reflect --target-env=vulkan1.2 --format=json %s | FileCheck %s --check-prefix=JSON
// JSON-DAG: "name": "Cell"
// JSON-DAG: "name": "Cell.2"
#version 430
#extension GL_EXT_shared_memory_block : require
struct Cell { float value[2]; };
layout(binding = 0, std430) buffer Tight { Cell cells[2]; };
layout(binding = 1, std140) uniform Roomy { Cell wide[2]; };
shared Small { vec4 one; };
shared Large { vec4 four[4]; };
void main() {
  four[1] = one;
  cells[0].value[1] = wide[1].value[0] + four[0].x;
}
