// Remarks go to standard error as text, or as one JSON object a line, or nowhere.
// RUN: %lanewise opt -g %s -o %t.in.spv
// RUN: %lanewise opt --remarks=all %t.in.spv -O --target=nvidia -o %t.spv 2> %t.err && FileCheck %s --check-prefix=TEXT < %t.err
// TEXT: remarks.comp:[[# @LINE + 28]]: remark: padded 'tile' {{.*}} [pad-shared-memory:padded]
// TEXT-NEXT: {{^}}    {{.*}}degree
//
// RUN: %lanewise opt %t.in.spv -O --target=nvidia -o %t.spv --remarks=json 2> %t.err && count 2 < %t.err
// RUN: %python -m json.tool --json-lines < %t.err | FileCheck %s --check-prefix=JSON
// JSON: "kind": "applied",
// JSON: "pass": "pad-shared-memory",
// JSON: "line": [[# @LINE + 21]],
// JSON: "degree-before": "32",
// JSON: "degree-after": "1",
// JSON: "kind": "missed",
// JSON: "pass": "eliminate-redundant-barriers",
//
// RUN: %lanewise opt %t.in.spv -O -o %t.spv --remarks=none 2>&1 | count 0
// Warnings alone: nothing of this is one, but a layout that nobody is told of is.
// RUN: %lanewise opt %t.in.spv -O -o %t.spv --remarks=warnings 2>&1 | count 0
// RUN: %lanewise opt %samples/badger/move.comp -O --aos-to-soa=soa -o %t.soa.spv --remarks=warnings 2>&1 | FileCheck %s --check-prefix=WARNING
// WARNING-NOT: remark:
// WARNING: warning: {{.*}} [aos-to-soa:no-manifest]
// WARNING-NOT: missed:
// RUN: %lanewise opt %t.in.spv -O -o %t.spv --remarks-file=%t.remarks 2>&1 | count 0
// RUN: FileCheck %s --check-prefix=TEXT-FILE < %t.remarks
// TEXT-FILE: remark: padded 'tile'
#version 430
layout(local_size_x = 32, local_size_y = 32) in; layout(binding = 0) buffer Source { float source[]; }; layout(binding = 1) buffer Target { float target[]; };
shared float tile[32][32];
void main() {
  uvec2 at = gl_LocalInvocationID.xy; tile[at.y][at.x] = source[at.y * 32 + at.x]; barrier();
  target[at.y * 32 + at.x] = tile[at.x][at.y];
}
