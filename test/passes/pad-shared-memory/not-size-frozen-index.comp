#version 430
// The workgroup's size and the tile's are specialization constants of their own: with others than those that were given, an
// invocation may stand beyond its row, so rows stay where they are. Frozen, they need not.
//
// RUN: %lanewise opt --remarks=all %s --target=nvidia -O --spec-const=0:32 --spec-const=1:8 --spec-const=2:32 -S -o - 2> %t.remarks | FileCheck %s
// CHECK: OpTypeArray %float %TILE
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// REMARK: did not pad 't[32][32]': [32][33] is not proved to keep each index in its row for other values of a specialization constant; freeze it with --set-spec-const-default-value='0:32 1:8 2:32' --freeze-spec-const before this pass [pad-shared-memory:size-not-frozen]
//
// Values are written as the option takes them, those of other constants as well: all are frozen.
// RUN: %lanewise opt --remarks=missed %s --target=nvidia -O --spec-const=0:32 --spec-const=1:8 --spec-const=2:32 --spec-const=3:0.1 --spec-const=4:true --spec-const=5:-2 -o %t.spv 2>&1 | FileCheck --check-prefix=TYPES %s
// TYPES: --set-spec-const-default-value='0:32 1:8 2:32 3:0.1 4:true 5:-2'
// RUN: %lanewise opt --remarks=applied %s --target=nvidia --set-spec-const-default-value='0:32 1:8 2:32 3:0.1 4:true 5:-2' --freeze-spec-const -O -S -o - 2>%t.applied | FileCheck --check-prefix=VALUES %s
// VALUES-DAG: OpConstant %float 0.1
// VALUES-DAG: %BIAS = OpConstant %int -2
// RUN: FileCheck --check-prefix=FROZEN %s < %t.applied
//
// What the remark says helps. It names the workgroup's size, too, which else were frozen as 1x8. Given as a whole, it is named as well.
// RUN: %lanewise opt --remarks=missed %s --target=nvidia -O --workgroup-size=32,8,1 --spec-const=1:8 --spec-const=2:32 -o %t.spv 2>&1 | FileCheck --check-prefix=WHOLE %s
// WHOLE: --set-spec-const-default-value='0:32 1:8 2:32'
// RUN: %lanewise opt --remarks=all %s --target=nvidia --set-spec-const-default-value='0:32 1:8 2:32' --freeze-spec-const -O -o %t.spv 2>&1 | FileCheck --check-prefix=FROZEN %s
// FROZEN: padded 't' from [32][32] to [32][33]: conflict degree 32 -> 1
layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 1) const uint H = 8;
layout(constant_id = 2) const uint TILE = 32;
layout(constant_id = 3) const float SCALE = 1.0;
layout(constant_id = 4) const bool OFFSET = false;
layout(constant_id = 5) const int BIAS = 0;
layout(binding = 0) readonly buffer In { float a[]; };
layout(binding = 1) writeonly buffer Out { float b[]; };
shared float t[TILE][TILE];
void main() {
  uvec2 l = gl_LocalInvocationID.xy;
  for (uint y = l.y; y < TILE; y += H) t[y][l.x] = a[(gl_WorkGroupID.x * TILE + y) * TILE + l.x];
  barrier();
  for (uint y = l.y; y < TILE; y += H) b[(gl_WorkGroupID.x * TILE + y) * TILE + l.x] = t[l.x][y] * SCALE + (OFFSET ? BIAS : 0);
}
